/** The built command line, as a user runs it. */
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCli, startCli } from "./run-cli.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "cli-test-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function exec(...args: string[]) {
  const { code, stdout, stderr } = await runCli(["exec", ...args], { cwd: directory });
  return { code, stdout: stdout.toString(), stderr };
}

describe("results", () => {
  test("passes both streams and the exit code on", async () => {
    expect(await exec("--", "echo out; echo err >&2; exit 7")).toEqual({
      code: 7,
      stdout: "out\n",
      stderr: "err\n",
    });
  });
  test("binary output goes through byte for byte", async () => {
    const bytes = Uint8Array.from({ length: 1024 }, (_, index) => (index * 7) % 256);
    writeFileSync(join(directory, "b.bin"), bytes);
    const { stdout } = await runCli(["exec", "-m", `/d=${directory}:ro`, "--", "cat b.bin"]);
    expect(stdout.equals(Buffer.from(bytes))).toBe(true);
  });
  test("output arrives while the script still runs", async () => {
    const child = startCli([
      "exec",
      "-m",
      `/d=${directory}`,
      "--",
      "echo first; until [ -f go ]; do sleep 0.02; done; echo second",
    ]);
    child.stdin?.end();
    const [first] = (await once(child.stdout ?? child, "data")) as [Buffer];
    expect(first.toString()).toBe("first\n");
    const rest = once(child.stdout ?? child, "data") as Promise<[Buffer]>;
    const closed = once(child, "close");
    writeFileSync(join(directory, "go"), "");
    expect((await rest)[0].toString()).toBe("second\n");
    expect(await closed).toEqual([0, null]);
  });
  // Without a language, as the worker then has no other reason to look up from what never yields.
  test("a time limit ends what never yields with 124, and says so", async () => {
    const script = "echo started; awk 'BEGIN { while (1) x++ }'";
    const { code, stdout, stderr } = await exec(
      "--no-python",
      "--no-javascript",
      "--timeout",
      "3s",
      "--",
      script,
    );
    expect({ code, stdout }).toEqual({ code: 124, stdout: "started\n" });
    expect(stderr).toMatch(/killed by deadline/);
  });
  test("a missing mount is a failure of the sandbox that names it, not of the script", async () => {
    const { code, stdout, stderr } = await exec("-m", "/in=no-such-dir", "--", "echo ran");
    expect({ code, stdout }).toEqual({ code: 125, stdout: "" });
    expect(stderr).toMatch(
      /^little-harness: --mount \/in=no-such-dir: expected an existing directory, got ".*no-such-dir"/,
    );
  });
});

describe("--json", () => {
  test("prints one object and nothing else", async () => {
    const { code, stdout, stderr } = await exec(
      "-m",
      "/d=.",
      "--json",
      "--",
      "echo out > f; echo seen; echo err >&2; exit 3",
    );
    expect({ code, stderr }).toEqual({ code: 3, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      exitCode: 3,
      ending: { kind: "exited" },
      durationMs: expect.any(Number),
      stdout: "seen\n",
      stderr: "err\n",
      truncated: {},
      changes: [
        {
          change: "created",
          path: "/d/f",
          kind: "file",
          size: 4,
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
      stateRestored: true,
    });
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  });
  test("keeps bytes that are no text as base64 too", async () => {
    writeFileSync(join(directory, "b.bin"), Uint8Array.from([0xff, 0x00]));
    const { stdout } = await exec("-m", "/d=.", "--json", "--", "cat b.bin");
    expect(JSON.parse(stdout)).toMatchObject({ stdoutBase64: "/wA=" });
  });
  test("is an object for a failure too", async () => {
    const { code, stdout, stderr } = await exec("-m", "/in=no-such-dir", "--json", "--", "true");
    expect({ code, stderr }).toEqual({ code: 125, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      error: { code: "WORKSPACE_INVALID", message: expect.stringContaining("no-such-dir") },
    });
  });
  test("tells a capped stream from a whole one", async () => {
    const { stdout } = await exec("--json", "--max-output", "1k", "--", "seq 10000");
    const result = JSON.parse(stdout) as { stdout: string; truncated: unknown };
    expect(result.truncated).toEqual({ stdout: { totalBytes: 48_894 } });
    expect(result.stdout.length).toBeLessThan(2_000);
  });
});

describe("--events", () => {
  test("prints each event as one line of JSON on standard error", async () => {
    const { stdout, stderr } = await exec("-m", "/d=.", "--events", "--", "echo x > f; echo out");
    expect(stdout).toBe("out\n");
    const types = stderr
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual([
      "harness.runtime.command.started",
      "harness.runtime.command.completed",
      "harness.file.created",
    ]);
  });
});

describe("where things come from", () => {
  test("a script's file with arguments", async () => {
    writeFileSync(join(directory, "s.sh"), 'echo "$#:$1:$2"');
    expect(await exec("s.sh", "a b", "--json")).toMatchObject({ code: 0, stdout: "2:a b:--json\n" });
  });
  test("the script on standard input", async () => {
    const { code, stdout } = await runCli(["exec", "-", "x"], { stdin: 'echo "from stdin $1"; exit 2' });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: "from stdin x\n" });
  });
  test("standard input of the script", async () => {
    const { stdout } = await runCli(["exec", "--", "wc -c"], { stdin: Buffer.alloc(1000, 0xfe) });
    expect(stdout.toString().trim()).toBe("1000");
  });
  test("only the variables that are written out", async () => {
    const { stdout } = await runCli(["exec", "-e", "GIVEN=1 2", "--", 'echo "$GIVEN [$SECRET]"'], {
      env: { SECRET: "s" },
    });
    expect(stdout.toString()).toBe("1 2 []\n");
  });
  test("mounts, their rights and the working directory", async () => {
    mkdirSync(join(directory, "in"));
    mkdirSync(join(directory, "out"));
    writeFileSync(join(directory, "in/a"), "a\n");
    const script = "pwd; cat /in/a; cp /in/a /out/b; echo x > /in/c; echo $?";
    const { stdout } = await exec("-m", "/in=in:ro", "-m", "/out=out", "--cwd", "/out", "--", script);
    expect(stdout).toBe("/out\na\n1\n");
    expect(readFileSync(join(directory, "out/b"), "utf8")).toBe("a\n");
    expect(existsSync(join(directory, "in/c"))).toBe(false);
  });
  test.each(["subprocess", "just-bash"])(
    "without mounts: an empty /workspace that is gone afterwards (%s)",
    async (kind) => {
      const { code, stdout } = await runCli(
        ["exec", "--sandbox", kind, "--", "pwd; ls -A | wc -l; echo x > f; echo t > /tmp/t"],
        {
          env: { TMPDIR: directory },
        },
      );
      expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: "/workspace\n0\n" });
      expect(readdirSync(directory)).toEqual([]);
    },
  );
});

describe("ends from outside", () => {
  test("Ctrl-C ends a busy script with 130 and leaves nothing behind", async () => {
    const child = startCli(["exec", "--", "echo busy; while :; do :; done"], { env: { TMPDIR: directory } });
    child.stdin?.end();
    await once(child.stdout ?? child, "data");
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([130, null]);
    expect(readdirSync(directory)).toEqual([]);
  });
  test("a reader that leaves ends the script quietly with 141", async () => {
    const child = startCli(["exec", "--", "echo line; while :; do echo line; done"]);
    child.stdin?.end();
    const stderr: Buffer[] = [];
    child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
    await once(child.stdout ?? child, "data");
    child.stdout?.destroy();
    expect(await once(child, "close")).toEqual([141, null]);
    expect(Buffer.concat(stderr).toString()).not.toMatch(/EPIPE|Error/);
  });
});

describe("help and mistakes", () => {
  test("a mistake exits with 2, says what was meant, and runs nothing", async () => {
    const { code, stdout, stderr } = await exec("--timout", "3s", "--", "echo ran");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('unknown option "--timout"; did you mean "--timeout"?');
  });
  test("a script that is not there exits with 2", async () => {
    expect(await exec("no-such.sh")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("no-such.sh"),
    });
  });
  test("--help names every option, and --version the package's version", async () => {
    const help = (await runCli(["exec", "--help"])).stdout.toString();
    for (const option of [
      "mount",
      "sandbox",
      "cwd",
      "env",
      "timeout",
      "json",
      "max-output",
      "events",
      "no-stdin",
      "no-python",
      "no-javascript",
    ])
      expect(help).toContain(`--${option}`);
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect((await runCli(["--version"])).stdout.toString()).toBe(`${version}\n`);
  });
  test("--help loads nothing of the sandbox", async () => {
    // Every module that Node loads is written to standard error by this hook.
    const hook = `export async function load(url, context, next) { process._rawDebug(url); return next(url, context); }`;
    const register = `import { register } from "node:module"; register("data:text/javascript,${encodeURIComponent(hook)}");`;
    const { stderr } = await runCli(["--help"], {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(register)}` },
    });
    const loaded = stderr.split("\n").filter((line) => line.startsWith("file:"));
    expect(loaded.length).toBeGreaterThan(0);
    for (const url of loaded) expect(readFileSync(new URL(url), "utf8")).not.toContain("subprocessSandbox");
  });
});
