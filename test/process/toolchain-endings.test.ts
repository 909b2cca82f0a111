/** How commands over the machine's own programs end, or are ended from outside, and that nothing is left of them. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { isSandboxError, localToolchainSandbox, openSandbox } from "../../src/index.ts";
import { descendants, isAlive, until } from "../helpers/processes.ts";
import { failOnStrays } from "../helpers/strays.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { noToolchain, note, openToolchainForTest } from "../helpers/toolchain.ts";
import { ENDS, expectEnds } from "../helpers/toolchain-ends.ts";

failOnStrays();

const allGone = (pids: readonly number[]): Promise<void> => until(() => !pids.some(isAlive));

describe.skipIf(noToolchain !== null)(`the machine's own programs${note}`, () => {
  test("a script ends as it wants, and the next one finds the shell that the last one to end well had left", () =>
    expectEnds(ENDS));

  test("a deadline ends a tree of processes, whatever they think of signals", async () => {
    const { sandbox } = await openToolchainForTest();
    await sandbox.exec("x=kept; cd /tmp; sleep 600 & setsid sleep 600 &");
    const running = sandbox.exec(
      "trap '' TERM INT HUP; echo before; setsid sleep 600 & node -e 'for (;;) {}' & (while :; do :; done)",
      { timeoutMs: 2_000 },
    );
    await until(() => descendants(process.pid).length > 6);
    const pids = descendants(process.pid);
    expect(await running).toMatchObject({
      exitCode: 124,
      ending: { kind: "killed", by: "deadline" },
      stdout: "before\n",
    });
    await allGone(pids);
    expect(await sandbox.exec('echo "$x $PWD"')).toMatchObject({
      stdout: "kept /tmp\n",
      stateRestored: true,
    });
  });

  test("an abort ends a command, also one that has not started", async () => {
    const { sandbox } = await openToolchainForTest();
    const first = new AbortController();
    const result = await sandbox.exec("echo started; sleep 600", {
      signal: first.signal,
      onStdout: () => first.abort(),
    });
    expect(result).toMatchObject({
      exitCode: 137,
      ending: { kind: "killed", by: "abort" },
      stdout: "started\n",
    });
    const second = new AbortController();
    const running = sandbox.exec("touch made; sleep 600", { signal: second.signal });
    second.abort();
    expect(await running).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "abort" } });
    expect(await sandbox.exec("echo works")).toMatchObject({ stdout: "works\n" });
  });

  test("output has no end to it: it streams whole, keeps head and tail, and ends at its limit", async () => {
    const { sandbox } = await openToolchainForTest({ limits: { maxStreamBytes: 9_000_000 } });
    const hash = createHash("sha256");
    const whole = await sandbox.exec("head -c 8000000 /dev/zero | tr '\\0' a; echo done >&2", {
      maxOutputBytes: 1_000,
      onStdout: (chunk) => hash.update(chunk),
    });
    expect(whole).toMatchObject({
      exitCode: 0,
      stderr: "done\n",
      truncated: { stdout: { totalBytes: 8_000_000 } },
    });
    expect(hash.digest("hex")).toBe(createHash("sha256").update("a".repeat(8_000_000)).digest("hex"));
    expect(await sandbox.exec("yes")).toMatchObject({
      exitCode: 137,
      ending: { kind: "killed", by: "output" },
    });
    expect(await sandbox.exec("echo works")).toMatchObject({ stdout: "works\n" });
  });

  test("memory is counted over all processes", async () => {
    const { sandbox } = await openToolchainForTest({ limits: { maxMemoryMb: 150 } });
    await sandbox.exec("x=kept");
    // None of them holds too much.
    const one = "(head -c 60000000 /dev/zero; sleep 30) | tail -c 60000000 >/dev/null &";
    const script = `for n in 1 2 3 4; do ${one} done; wait`;
    expect(await sandbox.exec(script, { timeoutMs: 20_000 })).toMatchObject({
      exitCode: 137,
      ending: { kind: "killed", by: "memory" },
    });
    expect(await sandbox.exec("echo $x")).toMatchObject({ stdout: "kept\n" });
  });

  test("a fork bomb ends by its memory or its deadline, and the next command works", async () => {
    const { sandbox } = await openToolchainForTest({ limits: { maxMemoryMb: 150 } });
    const before = descendants(process.pid);
    const result = await sandbox.exec("bomb() { bomb | bomb & }; bomb; sleep 20", { timeoutMs: 1_000 });
    expect(result.ending).toMatchObject({
      kind: "killed",
      by: expect.stringMatching(/^(?:memory|deadline)$/),
    });
    expect(await sandbox.exec("echo works", { timeoutMs: 20_000 })).toMatchObject({ stdout: "works\n" });
    await until(() => descendants(process.pid).length < before.length + 20);
  });

  test("what is around a command can be killed from inside: the ending says so, and the state is there", async () => {
    const { sandbox } = await openToolchainForTest();
    await sandbox.exec("x=kept");
    for (const script of ["kill -9 $PPID; sleep 600", "kill -9 -1; sleep 600"]) {
      const result = await sandbox.exec(`echo out; ${script}`, { timeoutMs: 20_000 });
      expect([script, result.stdout, result.ending.kind]).toEqual([script, "out\n", "unknown"]);
      expect(await sandbox.exec("echo $x")).toMatchObject({ stdout: "kept\n", exitCode: 0 });
    }
    // The first process of the jail hears no signal from inside.
    expect(await sandbox.exec("kill -9 1; kill -STOP 1; kill -TERM 1; kill -TERM -1; echo $x")).toMatchObject(
      {
        stdout: "kept\n",
        ending: { kind: "exited" },
      },
    );
    const stopped = await sandbox.exec("kill -STOP $PPID", { timeoutMs: 1_000 });
    expect(stopped.ending).toEqual({ kind: "killed", by: "deadline" });
    expect(await sandbox.exec("echo $x")).toMatchObject({ stdout: "kept\n" });
  });

  test("a state that is too large is told and not kept, and the next command has what was before", async () => {
    const { sandbox } = await openToolchainForTest();
    await sandbox.exec("x=kept; cd /tmp");
    for (const [script, told] of [
      ["export large=$(head -c 200000 /dev/zero | tr '\\0' a)", "the variable large has 2000"],
      ["large=$(head -c 3000000 /dev/zero | tr '\\0' a)", "the variable large has 30000"],
      ["for n in {1..20}; do declare v$n=$(head -c 100000 /dev/zero | tr '\\0' a); done", "the variable v"],
    ] as const) {
      const result = await sandbox.exec(`x=lost; cd /; ${script}; exit 3`, { timeoutMs: 20_000 });
      expect(result).toMatchObject({ exitCode: 3, ending: { kind: "exited" } });
      expect(result.stderr.trim().split("\n")).toEqual([expect.stringContaining(told)]);
      expect(await sandbox.exec('/bin/echo "$x $PWD ${#large}"')).toMatchObject({
        stdout: "kept /tmp 0\n",
        stderr: "",
        exitCode: 0,
        stateRestored: false,
      });
    }
    expect(await sandbox.exec("y=$(head -c 100000 /dev/zero | tr '\\0' a); export y")).toMatchObject({
      stderr: "",
    });
    expect(await sandbox.exec("/bin/echo ${#y}")).toMatchObject({ stdout: "100000\n", stateRestored: true });
  });

  test("a lie about its own end changes the guest's result and nothing else", async () => {
    const { sandbox } = await openToolchainForTest();
    await sandbox.exec("x=kept");
    const report = "report=$(echo /run/harness/[0-9]*/report | cut -d' ' -f1)";
    for (const lie of [
      String.raw`printf 'e0\0'`,
      String.raw`printf 'e999\0e-1\0e\0'`,
      String.raw`printf 'vdeclare -x PATH="/nosuch"\0d/nosuch\0fif then\0z\0e7\0'`,
      "head -c 70000000 /dev/zero",
      "head -c 70000000 /dev/urandom",
      String.raw`yes e0 | tr '\n' '\0' | head -c 1000000`,
    ]) {
      const result = await sandbox.exec(`${report}; ${lie} >"$report"; exit 3`, { timeoutMs: 20_000 });
      expect([lie, result.ending.kind]).toEqual([lie, "exited"]);
      expect(await sandbox.exec("PATH=/usr/bin:/bin; cd /w; echo works")).toMatchObject({
        stdout: "works\n",
      });
    }
    // Held open for ever.
    const held = await sandbox.exec(`${report}; sleep 600 >"$report" & sleep 0.1`, { timeoutMs: 1_500 });
    expect(held.ending).toEqual({ kind: "killed", by: "deadline" });
    expect(await sandbox.exec("echo works; rm -rf /run/harness/*; mv /run/harness/save /tmp")).toMatchObject({
      stdout: "works\n",
      exitCode: 1,
    });
  });

  test("dispose lets background processes say goodbye, ends all, and leaves nothing", async () => {
    const temp = tempDir();
    const before = process.env.TMPDIR;
    process.env.TMPDIR = temp;
    onTestFinished(() => {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    });
    const { sandbox, directory } = await openToolchainForTest();
    await sandbox.exec(
      "(trap 'echo bye >/w/bye; exit' TERM; touch set; while :; do sleep 0.01; done) & until [[ -e set ]]; do sleep 0.01; done",
    );
    await sandbox.exec("(trap '' TERM; sleep 600) & sleep 600 &");
    const pids = descendants(process.pid);
    expect(readdirSync(temp)).not.toEqual([]);
    const running = sandbox.exec("sleep 600");
    await sandbox.dispose();
    expect(["killed", "refused"]).toContain((await running).ending.kind);
    await allGone(pids);
    expect(readdirSync(temp).filter((name) => name.startsWith("little-harness"))).toEqual([]);
    const { sandbox: other } = await openToolchainForTest({}, { mounts: { "/w": directory } });
    await other.exec(
      "(trap 'echo bye >/w/bye; exit' TERM; touch set2; while :; do sleep 0.01; done) & until [[ -e set2 ]]; do sleep 0.01; done",
    );
    await other.dispose();
    expect(readFileSync(join(directory, "bye"), "utf8")).toBe("bye\n");
  });

  const script = fileURLToPath(new URL("../fixtures/parents/toolchain.mjs", import.meta.url));

  test.each([
    ["main", "busy"],
    ["main", "idle"],
    ["thread", "busy"],
    ["thread", "idle"],
  ])("a host that is killed leaves no process: %s, %s", async (where, guest) => {
    const host = execa(process.execPath, [script, tempDir(), where, guest], {
      env: { TMPDIR: tempDir() },
      reject: false,
    });
    const { pid = 0 } = host;
    await new Promise<void>((resolve) => host.stdout.once("data", () => resolve()));
    const pids = descendants(pid);
    expect(pids.length).toBeGreaterThan(2);
    host.kill("SIGKILL");
    await host;
    await allGone(pids);
  });

  test("a sandbox that is forgotten keeps no host alive, and gives no program what the host has open", async () => {
    const temp = tempDir();
    const secret = openSync("/etc/hostname", "r");
    // Far enough up that Node.js does not mark it for itself.
    const { stdout } = spawnSync(process.execPath, [script, tempDir(), "main", "left"], {
      encoding: "utf8",
      env: { TMPDIR: temp },
      stdio: ["ignore", "pipe", "pipe", ...Array<"ignore">(17).fill("ignore"), secret],
    });
    expect(stdout).toContain("ready");
    expect(
      stdout.split("\n").filter((line) => /-> /.test(line) && !/run\/harness|\/proc\//.test(line)),
    ).toEqual([]);
    expect(readdirSync(temp).filter((name) => name.startsWith("little-harness"))).toEqual([]);
  });
});

describe("where it cannot be given", () => {
  const open = (options: Parameters<typeof localToolchainSandbox>[0], mounts = {}) =>
    openSandbox({ mounts: { "/w": tempDir(), ...mounts }, sandbox: localToolchainSandbox(options) });
  const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => null,
      (error: unknown) => (isSandboxError(error) ? error.code : error),
    );

  test("a program or a directory that is not there is a refusal, and nothing stays", async () => {
    const temp = tempDir();
    mkdirSync(join(temp, "x"));
    expect(await codeOf(open({ shell: "/bin/nosuch" }))).toBe("ISOLATION_UNAVAILABLE");
    expect(await codeOf(open({ paths: ["/nosuch"] }))).toBe("ISOLATION_UNAVAILABLE");
    expect(existsSync("/nosuch")).toBe(false);
  });

  test("bad options are told at the call", () => {
    for (const options of [
      { path: [] },
      { paths: "x" },
      { paths: ["relative"] },
      { network: 1 },
      { env: { "a b": "" } },
      { env: { a: 1 } },
      { limits: { maxToolCalls: 1 } },
      { limits: { timeoutMs: 0 } },
      { shell: "bash" },
    ]) {
      expect(() => localToolchainSandbox(options as never)).toThrow(
        expect.objectContaining({ code: "OPTION_INVALID" }),
      );
    }
  });

  test.skipIf(noToolchain !== null)(`a mount that cannot be shown is a bad workspace${note}`, async () => {
    const inner = tempDir();
    for (const mounts of [{ "/etc/x": inner }, { "/lib": inner }, { "/run/harness": inner }])
      expect(await codeOf(open({}, mounts))).toBe("WORKSPACE_INVALID");
    const prefixed = { "/p": { path: inner, readOnlyPrefixes: ["/p/nosuch"] } };
    expect(await codeOf(open({}, prefixed))).toBe("WORKSPACE_INVALID");
  });
});
