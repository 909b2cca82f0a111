import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import {
  isSandboxError,
  type OpenSandboxOptions,
  openSandbox,
  type SubprocessOptions,
  subprocessSandbox,
} from "../../src/index.ts";
import { openForTest } from "../helpers/open.ts";
import { tempDir } from "../helpers/temp-dir.ts";

async function codeAndMessage(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (isSandboxError(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const open = (options: Record<string, unknown>): Promise<string> =>
  codeAndMessage(() => openSandbox({ mounts: { "/w": tempDir() }, ...options } as OpenSandboxOptions));

test("an unknown option is named, with the known ones", async () => {
  expect(await open({ timeout: 5 })).toMatch(/^OPTION_INVALID: .*"timeout".*workerPath/);
  expect(await open({ limits: { timeoutMS: 5 } })).toMatch(
    /^OPTION_INVALID: .*"limits\.timeoutMS".*limits\.timeoutMs/,
  );
});

test("a place in the workspace is named as the option that it came from", async () => {
  const at = tempDir();
  const none = join(at, "nope");
  expect(await open({ mounts: { "/w": at, "/session": none } })).toBe(
    `WORKSPACE_INVALID: mounts["/session"]: expected an existing directory, got "${none}".`,
  );
  expect(await open({ mounts: { "/usr/x": at } })).toContain(': mounts["/usr/x"]: expected a path outside');
  expect(await open({ mounts: { "/w": { path: at, access: "r" } } })).toContain(
    ': mounts["/w"].access: expected',
  );
  expect(await open({ network: { allowOnlyUrlPrefixes: ["x"] } })).toContain(
    ": network.allowOnlyUrlPrefixes[0]: expected a URL",
  );
  expect(await open({ cwd: "/w/none" })).toContain(": cwd: expected a directory");
  await expect(openSandbox({ mounts: { "/session": none } })).rejects.toMatchObject({
    data: { at: "workspace.mounts[0].backingPath", expected: "an existing directory" },
  });
});

test("a bad value is named, with what was expected", async () => {
  expect(await open({ limits: { timeoutMs: "5s" } })).toMatch(
    /^OPTION_INVALID: .*limits\.timeoutMs.*positive whole number/,
  );
  expect(await open({ limits: { timeoutMs: -1 } })).toMatch(/positive whole number/);
  expect(await open({ execArgv: "--flag" })).toMatch(/^OPTION_INVALID: .*execArgv.*array/);
  expect(await open({ sandbox: "docker" })).toMatch(/^OPTION_INVALID: .*sandbox.*subprocess/);
  expect(await open({ onEvent: 5 })).toMatch(/^OPTION_INVALID: .*onEvent.*function/);
});

test("the same check answers in every mode", async () => {
  expect(await open({ timeout: 5, sandbox: "just-bash" })).toMatch(/^OPTION_INVALID: .*"timeout"/);
});

test("a mount that does not exist is named", async () => {
  expect(await open({ mounts: { "/w": "/no/such/directory" } })).toMatch(
    /^WORKSPACE_INVALID: .*\/no\/such\/directory/,
  );
});

test("a mount on a file, a relative mount path and no mount at all are named", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  expect(await open({ mounts: { "/w": file } })).toMatch(/^WORKSPACE_INVALID: .*director/);
  expect(await open({ mounts: { w: tempDir() } })).toMatch(/^WORKSPACE_INVALID: .*mounts.*absolute/);
  expect(await open({ mounts: {} })).toMatch(/^OPTION_INVALID: .*mounts/);
});

test("a cwd that is not there is named", async () => {
  for (const sandbox of ["subprocess", "just-bash"]) {
    expect(await open({ cwd: "/w/typo", sandbox })).toMatch(/^WORKSPACE_INVALID: .*cwd.*"\/w\/typo"/);
  }
});

test("a command whose cwd is not there is not run elsewhere", async () => {
  for (const sandbox of ["subprocess", "just-bash"] as const) {
    const opened = await openForTest({ sandbox });
    await opened.sandbox.fs.writeFile("/w/precious", "");
    const result = await opened.sandbox.exec("rm -f *; pwd", { cwd: "/w/typo" });
    expect(result).toMatchObject({ exitCode: 126, stdout: "", changes: [] });
    expect(result.stderr).toBe("bash: cd: /w/typo: No such file or directory\n");
    expect(await opened.sandbox.fs.exists("/w/precious")).toBe(true);
  }
});

test("a trace level is a preset or single fields, and a bad one is named", async () => {
  expect(await open({ traceOptions: "everything" })).toMatch(/^OPTION_INVALID: .*everything/);
  const { sandbox, events } = await openForTest({ traceOptions: { output: true } });
  await sandbox.exec("echo traced");
  expect(events).toContainEqual(
    expect.objectContaining({ type: "harness.runtime.command.completed", stdout: "traced\n" }),
  );
});

test("two mounts on one path are named", async () => {
  expect(await open({ mounts: { "/w": tempDir(), "/w/": tempDir() } })).toMatch(/^WORKSPACE_INVALID: .*\/w/);
});

test("tools without a context are refused at the factory's call", async () => {
  const factory = subprocessSandbox();
  const message = await codeAndMessage(() =>
    factory({
      workspace: {
        mounts: [{ path: "/w", backingPath: tempDir(), access: "rw", tracked: true }],
        cwd: "/w",
        capabilities: { python: true, javascript: true },
      },
      tools: { echo: { execute: (input: unknown) => input } },
      emit: () => undefined,
    }),
  );
  expect(message).toMatch(/^TOOLS_WITHOUT_CONTEXT: .*toolContext/);
});

test("a worker path that is not there is named before anything starts", async () => {
  const build = (options: SubprocessOptions): Promise<string> =>
    codeAndMessage(() => subprocessSandbox(options));
  expect(await build({ workerPath: "/no/worker.js" })).toMatch(/^WORKER_NOT_FOUND: .*\/no\/worker\.js/);
  expect(await build({ workerPath: new URL("https://example.com/w.js") })).toMatch(
    /^OPTION_INVALID: .*file: URL/,
  );
});

test("a worker of another build is refused with both builds named, and the host goes on", async () => {
  const folder = join(tempDir(), "worker");
  cpSync(join(root, "dist/worker"), folder, { recursive: true });
  const { buildId } = JSON.parse(readFileSync(join(folder, "build-id.json"), "utf8")) as { buildId: string };
  const { sandbox } = await openForTest({ workerPath: withOtherBuild(folder, buildId) });
  const result = await sandbox.exec("echo hi");
  expect(result).toMatchObject({ exitCode: 126, ending: { kind: "unknown" } });
  expect(result.stderr).toContain("another build");
  expect(result.stderr).toContain("0000000000000000");
  expect((await sandbox.exec("echo again")).ending).toEqual(result.ending);
});

function withOtherBuild(folder: string, buildId: string): string {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!/\.c?js$/.test(name)) continue;
    const path = join(folder, name);
    const text = readFileSync(path, "utf8");
    if (text.includes(buildId)) writeFileSync(path, text.replaceAll(buildId, "0000000000000000"));
  }
  return folder;
}

test("a Node.js that went after the opening ends the command with the reason, and the operator reads which", async () => {
  let said = "";
  const onDiagnostic = (text: string): void => {
    said += text;
  };
  const nodePath = join(tempDir(), "node");
  writeFileSync(nodePath, "", { mode: 0o755 });
  const { sandbox } = await openForTest({ nodePath, onDiagnostic });
  rmSync(nodePath);
  const result = await sandbox.exec("echo hi");
  expect(result).toMatchObject({ exitCode: 126, ending: { kind: "unknown" } });
  expect(result.stderr).toContain("The worker could not be started: spawn <path> ENOENT");
  expect(said).toContain(nodePath);
});

test("bad options of a command are results that name them", async () => {
  const { sandbox } = await openForTest();
  const bad = async (options: Record<string, unknown>): Promise<string> => {
    const result = await sandbox.exec("echo never", options);
    expect(result).toMatchObject({ stdout: "", ending: { kind: "refused" } });
    expect(result.exitCode).not.toBe(0);
    return result.stderr;
  };
  expect(await bad({ timeout: 5 })).toContain("timeout");
  expect(await bad({ timeoutMs: 0 })).toContain("timeoutMs");
  expect(await bad({ env: { "A=B": "x" } })).toContain("A=B");
  expect(await bad({ args: "x" })).toContain("args");
  expect(await bad({ stdin: 5 })).toContain("stdin");
});
