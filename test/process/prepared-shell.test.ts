/** A shell that waits for its place, as the built engine has it. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { root } from "../../build/paths.ts";
import type { EngineInput, EngineKind } from "../../src/engine/port.ts";
import { loadCore } from "../../src/worker/load-core.ts";
import { MountFs } from "../../src/workspace/mount-fs.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const { createShellFsError, prepareShell } = loadCore(
  pathToFileURL(join(root, "dist/worker/main.js")).href,
).engine();

const KIND: EngineKind = {
  python: false,
  javascript: false,
  tools: false,
  network: null,
  executionLimits: {},
  defenseInDepth: false,
};

const WAITED_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

test("the time that a shell has waited is no script's: its clock and the files around start with the workspace", async () => {
  const fs = new MountFs({ mounts: [], createError: createShellFsError });
  const shell = prepareShell(KIND, fs);
  vi.setSystemTime(Date.now() + WAITED_MS);
  const now = Date.now();
  fs.setMounts([{ path: "/work", backingPath: tempDir(), access: "rw", tracked: false }], 5_000);
  shell.enter({ cwd: "/work", tripWires: ["git"], restore: null });
  let said = "";
  const task: EngineInput = {
    script: 'echo "$SECONDS $PWD"; [ -e /etc ] && echo there; echo > file; git; echo on',
    args: [],
    stdin: null,
    cwd: null,
    env: null,
    replaceEnv: false,
    deadlineMs: null,
    signal: null,
    onOutput: (_, bytes) => {
      said += new TextDecoder().decode(bytes);
    },
    invokeTool: null,
  };
  expect(await shell.run(task)).toMatchObject({ ending: "tier", why: "git" });
  expect(said).toMatch(/^0 \/work\nthere\nlittle-harness: git \(line 1\)/);
  expect((await fs.stat("/etc")).mtime.getTime()).toBe(now);
  expect(await fs.readdir("/work")).toEqual(["file"]);
  shell.close();
});

test("a shell that is not wanted is gone once it was closed", async () => {
  const fs = new MountFs({ mounts: [], createError: createShellFsError });
  const shell = prepareShell(KIND, fs);
  shell.close();
  await shell.ended;
  expect(await fs.exists("/dev/.shell/1/out")).toBe(false);
});
