/**
 * `little-harness doctor` as a user runs it, on this machine as it is and with something really broken: one test for
 * each thing that can be, hence the length.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { root } from "../../build/paths.ts";
import { noNamespace, rungs } from "../helpers/rungs.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startCli } from "./run-cli.ts";

const DIST = join(root, "dist");
const CLI = join(DIST, "cli.js");
const SECRET = "planted-in-doctor-7c2d";
const LONG_MS = 120_000;

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Options {
  readonly cli?: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly uid?: number;
  /** A program in front, with its arguments. */
  readonly inside?: readonly string[];
}

async function doctor(args: readonly string[], options: Options = {}): Promise<Run> {
  const { cli = CLI, env = {}, cwd = "/", uid, inside = [] } = options;
  const [command = "", ...rest] = [...inside, process.execPath, cli, "doctor", ...args];
  const child = spawn(command, rest, {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...said };
}

interface Report {
  readonly [key: string]: unknown;
  readonly broken: readonly string[];
  readonly worker: { readonly path: string | null; readonly problem: string | null };
  readonly node: {
    readonly worker: {
      readonly version: string | null;
      readonly supported: boolean;
      readonly problem: string;
    };
  };
  readonly auto: { readonly rung: string | null; readonly reason: string | null };
  readonly temp: { readonly writable: boolean };
  readonly rungs: readonly {
    readonly name: string;
    readonly state: string;
    readonly reason: string | null;
    readonly walls: readonly { readonly name: string; readonly state: string }[];
    readonly languages: readonly { readonly name: string; readonly runs: boolean }[];
  }[];
}

async function doctorJson(args: readonly string[], options: Options = {}): Promise<Run & { report: Report }> {
  const run = await doctor([...args, "--json"], options);
  expect(run.stderr).toBe("");
  return { ...run, report: JSON.parse(run.stdout) as Report };
}

function copyWorker(): string {
  const folder = join(tempDir(), "worker");
  cpSync(join(DIST, "worker"), folder, { recursive: true });
  return folder;
}

function script(text: string): string {
  const file = join(tempDir(), "node");
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}

describe("a machine where nothing is broken", { timeout: LONG_MS }, () => {
  test("--json: exit 0, one document of version 1 with the keys of docs/cli.md, and nothing of the environment", async () => {
    const { code, stdout, report } = await doctorJson([], { env: { TOKEN: SECRET, NODE_ENV: SECRET } });
    expect(report.broken).toEqual([]);
    expect(code).toBe(0);
    expect(stdout).not.toContain(SECRET);
    expect(report).toMatchObject({ format: "little-harness-doctor", formatVersion: 1 });
    const documented = readFileSync(join(root, "docs/cli.md"), "utf8");
    for (const [key, value] of Object.entries(report)) {
      expect(documented, key).toContain(`\`${key}\``);
      if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
      for (const inner of Object.keys(value)) expect(documented, `${key}.${inner}`).toContain(`\`${inner}\``);
    }
    expect(Object.keys(report)).toEqual([
      "format",
      "formatVersion",
      "packageVersion",
      "demanded",
      "system",
      "node",
      "worker",
      "bubblewrap",
      "temp",
      "memory",
      "rungs",
      "auto",
      "broken",
    ]);
    expect(report.worker).toEqual({
      path: join(DIST, "worker/main.js"),
      foundBy: "beside the library",
      buildId: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      libraryBuildId: (
        JSON.parse(readFileSync(join(DIST, "worker/build-id.json"), "utf8")) as { buildId: string }
      ).buildId,
      problem: null,
    });
    expect(report.auto.rung).toBe(rungs.at(-1));
    expect(report.rungs.map(({ name }) => name)).toEqual(["process", "hardened", "namespace"]);
    for (const { name, state, reason, walls, languages, ...rest } of report.rungs) {
      if (!(rungs as readonly string[]).includes(name)) {
        expect({ state, reason }).toEqual({ state: "unavailable", reason: noNamespace });
        continue;
      }
      expect({ state, ...rest }).toEqual({
        state: "started",
        firstResultMs: expect.any(Number) as number,
        probeMs: expect.any(Number) as number,
        engine: expect.stringContaining("just-bash") as string,
        defense: expect.stringMatching(/^(?:full|best-effort)$/) as string,
        layers: expect.any(Array) as unknown[],
      });
      expect(walls.filter((wall) => wall.state === "open")).toEqual([]);
      if (name !== "process")
        expect(walls.filter((wall) => wall.state === "holds").length).toBeGreaterThan(5);
      expect(languages.map(({ name: language, runs }) => [language, runs])).toEqual([
        ["bash", true],
        ["js-exec", true],
        ["python3", true],
        ["sqlite3", true],
      ]);
    }
  });

  test("for people, under an empty environment: aligned lines, one per wall, and the last says that nothing is broken", async () => {
    const { code, stdout, stderr } = await doctor([]);
    expect({ code, stderr, last: lastLine(stdout) }).toEqual({
      code: 0,
      stderr: "",
      last: "nothing is broken",
    });
    const lines = stdout.trimEnd().split("\n").slice(0, -1);
    const subjects = lines.map((line) => /^(?:ok {2}|-- {2}) {2}(\S.*?) {2,}\S/.exec(line)?.[1]);
    expect(subjects).not.toContain(undefined);
    expect(new Set(lines.map((line) => /^.{6}\S.*? {2,}/.exec(line)?.[0].length)).size).toBe(1);
    for (const rung of rungs)
      expect(stdout).toMatch(new RegExp(`^ok +${rung} +runs bash, js-exec, python3`, "m"));
    expect(subjects.filter((subject) => subject === "wall").length).toBeGreaterThan(8);
    expect(stdout).toMatch(/^ok +wall +network against an escaped guest: .*hardened holds/m);
  });

  test.skipIf(process.getuid?.() !== 0)("works for an ordinary user (tried as root only)", async () => {
    const { code, report } = await doctorJson([], { uid: 65534 });
    expect(report.broken).toEqual([]);
    expect(code).toBe(0);
  });

  test.skipIf(noNamespace !== null)(
    "without bubblewrap: exit 0 with the reason, and 1 when the rung is demanded",
    async () => {
      const inside = ["bwrap", "--dev-bind", "/", "/"].concat(
        ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"]
          .filter((path) => existsSync(path))
          .flatMap((path) => ["--ro-bind", "/dev/null", path]),
      );
      const given = { inside: [...inside, "--"], env: { PATH: process.env.PATH ?? "" } };
      const { code, report } = await doctorJson([], given);
      expect({ code, broken: report.broken }).toEqual({ code: 0, broken: [] });
      expect(report.rungs[2]).toMatchObject({
        state: "unavailable",
        reason: expect.stringContaining("bubblewrap is not installed") as string,
      });
      expect(report.auto).toMatchObject({
        rung: "hardened",
        reason: expect.stringContaining("no namespace") as string,
      });
      const demanded = await doctor(["--isolation", "namespace"], given);
      expect(demanded.code).toBe(1);
      expect(demanded.stdout).toMatch(/^FAIL {2}namespace +not available: bubblewrap is not installed/m);
      expect(lastLine(demanded.stdout)).toMatch(/^broken \(1\): namespace: not available/);
    },
  );

  test.skipIf(noNamespace !== null)(
    "without user namespaces: exit 0, and bubblewrap's own words",
    async () => {
      const inside = ["bwrap", "--unshare-user", "--disable-userns", "--dev-bind", "/", "/", "--"];
      const { code, report } = await doctorJson([], { inside, env: { PATH: process.env.PATH ?? "" } });
      expect({ code, broken: report.broken }).toEqual({ code: 0, broken: [] });
      expect(report.bubblewrap).toMatchObject({
        path: expect.stringContaining("bwrap") as string,
        version: expect.stringMatching(/^\d/) as string,
        works: false,
        reason: expect.stringContaining("cannot make a jail here") as string,
      });
      expect(report.rungs[2]).toMatchObject({ state: "unavailable" });
      expect(report.auto.rung).toBe("hardened");
    },
  );
});

describe("something is broken: exit 1, and the last line says what", { timeout: LONG_MS }, () => {
  test("no worker", async () => {
    const place = tempDir();
    for (const name of readdirSync(DIST))
      if (name.endsWith(".js")) cpSync(join(DIST, name), join(place, "dist", name));
    cpSync(join(root, "package.json"), join(place, "package.json"));
    const given = { cli: join(place, "dist/cli.js"), cwd: place };
    const { code, report } = await doctorJson([], given);
    expect(code).toBe(1);
    expect(report.broken).toEqual([expect.stringContaining("The sandbox worker was not found") as string]);
    expect(report.rungs.map(({ state, reason }) => [state, reason])).toEqual(
      rungsOf("not-tried", "no usable worker"),
    );
    expect(lastLine((await doctor([], given)).stdout)).toMatch(
      /^broken \(1\): worker: The sandbox worker was not/,
    );
  });

  test("a worker that is not where --worker says", async () => {
    const { code, stdout } = await doctor(["--worker", "/nowhere"]);
    expect(code).toBe(1);
    expect(lastLine(stdout)).toContain('workerPath "/nowhere" is not there');
  });

  test.each([
    ["in its folder's own word", "build-id.json"],
    ["in its code alone", ".js"],
  ])("a worker of another build, %s", async (_, where) => {
    const worker = copyWorker();
    const { buildId } = JSON.parse(readFileSync(join(worker, "build-id.json"), "utf8")) as {
      buildId: string;
    };
    const files = readdirSync(worker, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(where),
    );
    for (const file of files) {
      const text = readFileSync(join(worker, file), "latin1");
      if (text.includes(buildId))
        writeFileSync(join(worker, file), text.replaceAll(buildId, "0123456789abcdef"), "latin1");
    }
    const { code, report } = await doctorJson(["--worker", worker]);
    expect(code).toBe(1);
    expect(report.broken[0]).toContain("of another build");
    expect(report.rungs.filter(({ state }) => state === "started")).toEqual([]);
  });

  test("a wall that a rung claims is open", async () => {
    const worker = copyWorker();
    writeFileSync(join(worker, "lockdown.js"), "");
    const { code, stdout } = await doctor(["--worker", worker]);
    expect(code).toBe(1);
    const open = "open wall: threads without these walls against an escaped guest (the attempt succeeded)";
    for (const rung of rungs.slice(1)) expect(lastLine(stdout)).toContain(`${rung}: ${open}`);
    expect(stdout).toMatch(/^ok +process +first result/m);
    expect(stdout).toMatch(
      /^FAIL {2}wall +threads without these walls .*: process not-claimed, hardened OPEN/m,
    );
  });

  test("a language does not run", async () => {
    const worker = copyWorker();
    rmSync(join(worker, "vendor"), { recursive: true });
    const { code, report } = await doctorJson(["--worker", worker, "--isolation", "process"]);
    expect(code).toBe(1);
    expect(report.broken).toEqual([expect.stringMatching(/^process: python3 does not run: \S/)]);
    const [tried, ...others] = report.rungs;
    expect(others.map(({ state, reason }) => [state, reason])).toEqual(
      rungsOf("not-tried", "only process was asked for").slice(1),
    );
    expect(report.auto).toEqual({ rung: null, reason: "only process was asked for" });
    expect(tried?.languages.filter(({ runs }) => runs).map(({ name }) => name)).toEqual([
      "bash",
      "js-exec",
      "sqlite3",
    ]);
  });

  test.each([
    ["is too old", "echo v18.20.4", "it is older than 20.18.1"],
    ["is a patch too old", "echo v20.18.0", "it is older than 20.18.1"],
    ["is none", "echo hello", "it names no version of Node.js"],
    ["fails", "echo no such thing >&2; exit 3", "it cannot be asked for its version: no such thing"],
  ])("the worker's Node.js %s", async (_, text, problem) => {
    const { code, report } = await doctorJson(["--node", script(text)]);
    expect(code).toBe(1);
    expect(report.node.worker).toMatchObject({ supported: false, problem });
    expect(report.broken).toEqual([`node of the worker: ${problem}`]);
    expect(report.rungs.map(({ state, reason }) => [state, reason])).toEqual(
      rungsOf("not-tried", "no usable Node.js for the worker"),
    );
  });

  test("the worker's Node.js says nothing for ever, and what it started holds on to its output", async () => {
    const pidFile = join(tempDir(), "pid");
    onTestFinished(() => void process.kill(Number(readFileSync(pidFile, "latin1")), "SIGKILL"));
    const { code, stdout } = await doctor(["--node", script(`sleep 300 & echo $! > ${pidFile}; sleep 300`)]);
    expect(code).toBe(1);
    expect(lastLine(stdout)).toMatch(/^broken \(1\): node of the worker: it cannot be asked for its version/);
  });

  test("a Node.js that tells a version and then never starts a worker", async () => {
    const file = script('case "$1" in --version) echo v22.22.0;; *) exit 9;; esac');
    const { code, report } = await doctorJson(["--node", file]);
    expect(code).toBe(1);
    expect(report.rungs[0]).toMatchObject({ name: "process", state: "failed" });
    expect(report.broken).toContainEqual(expect.stringMatching(/^process: The worker exited \(code 9\)/));
  });

  test("no directory for files that do not stay", async () => {
    const { code, report } = await doctorJson([], { env: { TMPDIR: "/nowhere" } });
    expect(code).toBe(1);
    expect(report.temp.writable).toBe(false);
    expect(report.broken).toEqual([expect.stringMatching(/^temp: .*no such file/)]);
  });
});

test("a wrong command line: exit 2, and nothing is started", async () => {
  const { code, stdout, stderr } = await doctor(["--isolation", "namspace"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain('did you mean "namespace"?');
});

test("Ctrl-C ends it with 130 and leaves nothing behind", { timeout: LONG_MS }, async () => {
  const directory = tempDir();
  const child = startCli(["doctor"], { env: { TMPDIR: directory } });
  child.stdin?.end();
  await expect.poll(() => readdirSync(directory).length, { timeout: 30_000 }).toBeGreaterThan(1);
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([130, null]);
  expect(readdirSync(directory)).toEqual([]);
});

function rungsOf(state: string, reason: string): string[][] {
  return [0, 1, 2].map(() => [state, reason]);
}
