/**
 * Scripts look for their host in every way that the engine offers, on each rung and in-process, in a host full of
 * canaries (`test/helpers/canaries.ts`). Nothing that they print, write or cause to be reported may hold one.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  type HarnessEvent,
  type HarnessSandbox,
  type OpenSandboxOptions,
  openSandbox,
} from "../../src/index.ts";
import { PROBES, STDIN } from "../fixtures/guest-view/probes.ts";
import { type CanaryHost, leaks, plantCanaries, textOf } from "../helpers/canaries.ts";
import { onRung, rungs } from "../helpers/rungs.ts";
import { copyWorker } from "../helpers/worker-process.ts";

const host: CanaryHost = plantCanaries();
afterAll(() => host.remove());

const inProcess = "in this process";
const events: HarnessEvent[] = [];

function options(where: string): OpenSandboxOptions {
  const common = {
    mounts: { "/w": host.at.mount, "/ro": { path: host.at.readonly, access: "ro" as const } },
    workerPath: host.at.worker,
    tools: leakyTools(),
    traceOptions: "full" as const,
    onEvent: (event: HarnessEvent) => void events.push(event),
  };
  if (where === inProcess) return { ...common, sandbox: "just-bash" };
  return { ...common, sandbox: "subprocess", env: host.workerEnvironment, ...onRung(where as "process") };
}

/** Tools of a careless host: each tells its paths in another way. */
function leakyTools(): NonNullable<OpenSandboxOptions["tools"]> {
  const secret = join(host.folder, "kanari-tool.json");
  const failure = (): Error => new Error(`cannot open '${secret}'`, { cause: new Error(secret) });
  const ways: Record<string, () => unknown> = {
    throws: () => {
      throw failure();
    },
    many: () => Promise.reject(new AggregateError([failure()], `all failed:\n${failure().stack}`)),
    text: () => Promise.reject(`no ${secret}`),
    sly: () =>
      Promise.reject({
        get message(): string {
          throw failure();
        },
      }),
    rejects: () => Promise.reject(Object.assign(failure(), { path: secret, toJSON: () => secret })),
    returns: () => failure(),
    refuses: () => 1,
    foreign: async () => {
      const other = await openSandbox({
        mounts: { "/s": host.at.sibling },
        sandbox: "subprocess",
        nodePath: secret,
      });
      try {
        return await other.fs.readFile("/s/kanari-file");
      } finally {
        await other.dispose();
      }
    },
  };
  const refusing = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: () => ({ issues: [{ message: `not below ${secret}` }] }),
    },
  };
  return Object.fromEntries(
    Object.entries(ways).map(([name, execute]) => [
      `leaky.${name}`,
      { inputSchema: name === "refuses" ? refusing : { type: "object" }, execute },
    ]),
  ) as NonNullable<OpenSandboxOptions["tools"]>;
}

describe.each([...rungs, inProcess])("%s", (where) => {
  let sandbox: HarnessSandbox;
  let sibling: HarnessSandbox;
  beforeAll(async () => {
    sibling = await openSandbox({ mounts: { "/s": host.at.sibling }, sandbox: "subprocess" });
    await sibling.exec("export SECRET=kanari-sibling; cat /s/kanari-file > /tmp/kanari-copy");
    sandbox = await openSandbox(options(where));
  });
  afterAll(async () => {
    await sandbox.dispose();
    await sibling.dispose();
  });

  test.each(PROBES)(
    "a script sees nothing of the host: $name",
    { timeout: 120_000 },
    async ({ name, script, marker }) => {
      events.length = 0;
      const result = await sandbox.exec(script, {
        timeoutMs: 100_000,
        ...(STDIN[name] === undefined ? {} : { stdin: STDIN[name] }),
      });
      expect(result.stdout + result.stderr).toContain(marker);
      expect(events.length).toBeGreaterThan(1);
      expect(leaks(result.stdout)).toEqual([]);
      expect(leaks(result.stderr)).toEqual([]);
      expect(leaks(JSON.stringify([result, events]))).toEqual([]);
      expect(leaks(textOf(host.at.mount))).toEqual([]);
    },
  );

  test("errors of the file API name paths of the sandbox alone", async () => {
    const { fs } = sandbox;
    const told: string[] = [];
    for (const call of [
      () => fs.readFile("/w/none"),
      () => fs.readFile("/w"),
      () => fs.readFile("/w/a\0b"),
      () => fs.writeFile("/ro/x", "1"),
      () => fs.writeFile("/nope/x", "1"),
      () => fs.readdir("/none"),
      () => fs.stat("/none"),
      () => fs.rm("/ro/a.txt"),
      () => fs.mv("/ro/a.txt", "/w/b"),
      () => fs.cp("/none", "/w/b"),
      () => fs.mkdir("/ro/x"),
      () => fs.chmod("/ro/a.txt", 0o777),
      () => fs.symlink("a", "/ro/l"),
      () => fs.readlink("/w"),
      () => fs.realpath("/none"),
      () => fs.readFile(7 as unknown as string),
    ]) {
      told.push(await call().then(() => "no error", tell));
    }
    expect(told.filter((text) => text === "no error")).toEqual([]);
    expect(leaks(told.join("\n"))).toEqual([]);
  });
});

/** All of an error that a program could show. */
function tell(error: unknown): string {
  const { message, data } = error as { message: string; data?: unknown };
  return `${String(error)} ${message} ${JSON.stringify(data)} ${JSON.stringify(error)}`;
}

describe("a worker that does not start or is not whole", () => {
  const broken = join(host.folder, "kanari-broken");
  const throwing = join(host.folder, "kanari-throwing.mjs");
  beforeAll(() => {
    copyWorker(broken);
    for (const name of ["sql-wasm.wasm", "emscripten-module.wasm"])
      rmSync(join(broken, "engine/bundle/chunks", name), { force: true });
    // The program is there, and what it says it runs with is not.
    writeFileSync(join(host.folder, "kanari-node"), "#!/no/such/program\n", { mode: 0o755 });
    writeFileSync(throwing, "throw new Error(`at ${import.meta.url} of ${process.argv}`);");
  });

  test.each<[string, Partial<OpenSandboxOptions>, RegExp]>([
    [
      "a Node.js of which nothing can be run",
      { nodePath: join(host.folder, "kanari-node") },
      /could not be started: spawn <path> ENOENT/,
    ],
    ["a bad flag", { execArgv: [`--kanari=${host.folder}`] }, /bad option/],
    ["code that throws", { execArgv: [`--import=${throwing}`] }, /Its last words/],
    [
      "a rung that cannot be given",
      { isolation: "hardened", mounts: { "/w": host.folder } },
      /directory <path> holds/,
    ],
  ])("%s is told without the host's paths, and in full to the operator", async (_, special, told) => {
    let said = "";
    events.length = 0;
    const sandbox = await openSandbox({
      ...options("process"),
      env: {},
      onDiagnostic: (text) => {
        said += text;
      },
      ...special,
    });
    onTestFinished(() => sandbox.dispose());
    const result = await sandbox.exec("echo hi");
    expect(result.stderr).toMatch(told);
    const shown = result.stderr.replaceAll("--kanari=", "");
    expect(leaks(shown)).toEqual([]);
    expect(leaks(JSON.stringify([result, events]).replaceAll("--kanari=", ""))).toEqual([]);
    const error = await sandbox.fs.readFile("/w/a").then(
      () => null,
      (thrown: Error) => thrown,
    );
    expect(error?.message).toMatch(told);
    expect(leaks((error?.message ?? "").replaceAll("--kanari=", ""))).toEqual([]);
    // The check can fail: what the redactor took away is here.
    expect(leaks(said)).not.toEqual([]);
  });

  test("a command whose code or data is not there says so without its path", async () => {
    const sandbox = await openSandbox({ ...options("process"), workerPath: broken });
    onTestFinished(() => sandbox.dispose());
    for (const script of ["sqlite3 :memory: 'select 1'", "js-exec -c 1"]) {
      const { stderr, exitCode } = await sandbox.exec(script);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/No such file|<path>|ENOENT/);
      expect(leaks(stderr)).toEqual([]);
    }
  });

  test("a callback of the host that throws refuses the command without its words' paths", async () => {
    events.length = 0;
    const sandbox = await openSandbox({
      ...options("process"),
      getReadOnlyPrefixes: () => {
        throw new Error(`no ${host.folder}`);
      },
    });
    onTestFinished(() => sandbox.dispose());
    const result = await sandbox.exec("echo hi");
    expect(result.stderr).toContain("getReadOnlyPrefixes failed: no <path>");
    expect(leaks(JSON.stringify([result, events]))).toEqual([]);
  });

  test("a mount that is gone is named by its place in the sandbox", async () => {
    const sandbox = await openSandbox({
      ...options("process"),
      mounts: { "/w": join(host.at.sibling, ".") },
    });
    onTestFinished(() => sandbox.dispose());
    await sandbox.exec("true");
    rmSync(host.at.sibling, { recursive: true });
    events.length = 0;
    const result = await sandbox.exec("ls /w; echo x > /w/a; cd /w; find /w; stat /w; mkdir /w/d");
    expect(result.stderr).toContain("/w: No such file or directory");
    expect(leaks(JSON.stringify([result, events]))).toEqual([]);
  });
});

test("what a tool gives back is its own: a canary in a result is found by these checks", async () => {
  const sandbox = await openSandbox({
    ...options("process"),
    tools: { tell: { inputSchema: { type: "object" }, execute: () => host.at.mount } },
  });
  onTestFinished(() => sandbox.dispose());
  const { stdout } = await sandbox.exec("js-exec -c 'tools.tell({}).then(console.log)'");
  expect(leaks(stdout)).not.toEqual([]);
});
