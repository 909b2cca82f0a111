/** One sandbox over the machine's own programs: its parts put together, and tried before it is handed out. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { closeCodeCaches } from "../../parent/close-code-cache.ts";
import { findProgram } from "../../parent/isolation/bubblewrap.ts";
import { runOnce } from "../../parent/isolation/run-once.ts";
import { redactHostText } from "../../shared/redact.ts";
import type { CreateSandboxOptions, HarnessSandbox } from "../../shared/sandbox.ts";
import { createShellRuntime } from "../../shell/shell-runtime.ts";
import { checkCwd } from "../../workspace/check-cwd.ts";
import { checkWorkspace } from "../../workspace/check-workspace.ts";
import { hostFiles } from "../../workspace/host-files.ts";
import { MountFs } from "../../workspace/mount-fs.ts";
import { addPrivateDirectories } from "../../workspace/private-directories.ts";
import type { ResolvedToolchainOptions } from "../toolchain-options.ts";
import { bareJail, findParts, type JailParts, jailLaunch, unavailable } from "./jail.ts";
import { measureWalls } from "./measure-walls.ts";
import { holdMounts } from "./mount-binds.ts";
import { makePrivateFolder, USER } from "./private-folder.ts";
import { shownPaths } from "./shown-paths.ts";
import { createToolchainExecutor } from "./toolchain-executor.ts";

const MKFIFO = ["/usr/bin/mkfifo", "/bin/mkfifo"];

export async function openToolchain(
  options: ResolvedToolchainOptions,
  create: CreateSandboxOptions,
): Promise<HarnessSandbox> {
  const { network, limits, shell, env } = options;
  const found = findParts(network);
  const mkfifo = findProgram(MKFIFO);
  if (mkfifo === undefined) throw unavailable(`there is no program ${MKFIFO[0]}`);
  const missing = options.paths.find((path) => statSync(path, { throwIfNoEntry: false }) === undefined);
  if (missing !== undefined)
    throw unavailable(`the directory "${missing}" of the option "paths" is not there`);
  const workspace = checkWorkspace(create.workspace);
  await checkCwd(workspace);
  const inside = addPrivateDirectories(workspace);
  const folder = makePrivateFolder();
  const remove = (): void => {
    inside.remove();
    folder.remove();
  };
  try {
    const shown = shownPaths(options.paths, network);
    const { mounts } = inside.workspace;
    const parts: JailParts = {
      ...found,
      shell,
      shown,
      folder,
      mounts: holdMounts(mounts),
      cwd: workspace.cwd,
      network,
    };
    // What the shell around the commands waits at, when it has nothing to wait for.
    const { ok, why } = await runOnce(mkfifo, [join(folder.control, "tick")]);
    if (!ok) throw unavailable(`no named pipe can be made (${redactHostText(why)})`);
    await tryJail(parts);
    const variables = { PATH: shown.path, HOME: USER.home, LANG: "C.UTF-8", TERM: "dumb", ...env };
    const executor = createToolchainExecutor(parts, mkfifo, variables, limits);
    const mountFs = new MountFs({ mounts });
    const getReadOnlyPrefixes = closeCodeCaches(create.getReadOnlyPrefixes, mounts);
    let measured: Promise<unknown> = Promise.resolve();
    return createShellRuntime({
      ...create,
      getReadOnlyPrefixes,
      workspace,
      // A real program has no way to call a tool.
      toolBridge: undefined,
      files:
        create.files ??
        hostFiles(mountFs, workspace.cwd, () => mountFs.setReadOnlyPrefixes(getReadOnlyPrefixes?.() ?? [])),
      execute: executor.execute,
      limits,
      isolation: () => {
        const walls = measureWalls(parts);
        measured = walls.catch(() => undefined); // told to who asked
        return walls;
      },
      dispose: async () => {
        try {
          await executor.dispose();
          await measured;
        } finally {
          remove();
        }
      },
    });
  } catch (error) {
    remove();
    throw error;
  }
}

/** Makes the jail that commands will run in once, for nothing. */
async function tryJail(parts: JailParts): Promise<void> {
  // Tells of mounts that cannot be shown; they are checked, and shown, when a command needs them.
  jailLaunch(parts, []);
  const launch = bareJail(parts, 'printf %s "${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"');
  const { ok, stdout, why } = await runOnce(launch.command, launch.args, launch.inputs);
  if (!ok) throw unavailable(`bubblewrap cannot make its jail (${redactHostText(why, ["/usr", "/bin"])})`);
  const [major = 0, minor = 0] = stdout.split(".").map(Number);
  if (major < 4 || (major === 4 && minor < 4)) throw unavailable(`${parts.shell} is no bash 4.4 or later`);
}
