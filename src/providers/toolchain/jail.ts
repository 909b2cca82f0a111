/**
 * The jail of a toolchain: the arguments of bubblewrap. A new user, process, network, mount, IPC, host name and
 * cgroup namespace, no capability, no variable, and a read-only root that holds the machine's programs, the mounts
 * at their own paths, and private `/tmp`, home, `/proc` and `/dev`, which real programs need. In front of the
 * kernel stands the filter of system calls for programs.
 *
 * The process group is the jail's life, as on the rung `namespace` (`src/parent/isolation/namespace.ts`); it has a
 * session of its own too, since it is started detached.
 */
import { isMainThread } from "node:worker_threads";
import { findBubblewrap } from "../../parent/isolation/bubblewrap.ts";
import { FROM_INPUTS, toInput } from "../../parent/isolation/jail-arguments.ts";
import type { Launch } from "../../parent/isolation/launch.ts";
import { systemCallFilter } from "../../parent/isolation/system-call-filter.ts";
import { SandboxError } from "../../shared/errors.ts";
import type { HarnessMount } from "../../shared/workspace-spec.ts";
import { type MeantMount, meantMounts } from "./check-mounts.ts";
import { mountBinds, prefixBinds } from "./mount-binds.ts";
import { type PrivateFolder, USER } from "./private-folder.ts";
import { CONTROL } from "./shell-texts.ts";
import type { Shown } from "./shown-paths.ts";

export interface JailParts {
  readonly bwrap: string;
  readonly filter: Uint8Array;
  readonly shell: string;
  readonly shown: Shown;
  readonly folder: PrivateFolder;
  readonly mounts: readonly HarnessMount[];
  readonly cwd: string;
  readonly network: boolean;
}

/** @throws SandboxError `ISOLATION_UNAVAILABLE` where there is no bubblewrap or no filter for it. */
export function findParts(
  network: boolean,
  places?: readonly string[],
  platform: string = process.platform,
): Pick<JailParts, "bwrap" | "filter"> {
  if (platform !== "linux") throw unavailable(`there is no bubblewrap for ${platform}`);
  const bwrap = findBubblewrap(places);
  if (bwrap === undefined)
    throw unavailable(`bubblewrap is not installed${places === undefined ? "" : ` (${places.join(", ")})`}`);
  const filter = systemCallFilter(network, process.arch, "programs");
  if (filter === null) throw unavailable(`there is no filter of system calls for ${process.arch}`);
  return { bwrap, filter };
}

/** How a jail is started, and what it must show before anything runs in it. */
export interface JailLaunch extends Launch {
  readonly meant: readonly MeantMount[];
}

/**
 * How one jail is started; `command` is what runs in it, after a word on the lifeline or its end. Throws
 * `WORKSPACE_INVALID`.
 */
export function jailLaunch(
  parts: JailParts,
  prefixes: readonly string[],
  command: readonly string[] = [parts.shell, "--noprofile", "--norc", `${CONTROL}/supervisor`, parts.shell],
): JailLaunch {
  const { shown, folder, mounts, network, bwrap, filter, cwd } = parts;
  const binds = [
    ...["--ro-bind", folder.control, CONTROL],
    ...mountBinds(mounts),
    ...prefixBinds(mounts, prefixes),
  ];
  const inside = [
    "--unshare-all",
    "--unshare-user",
    ...(network ? ["--share-net"] : []),
    // bubblewrap's own process 1 would wait for what is left in the background, also when nobody else does.
    "--as-pid-1",
    // The kernel counts the death of the thread that spawns as the death of the parent.
    ...(isMainThread ? ["--die-with-parent"] : []),
    "--clearenv",
    ...["--cap-drop", "ALL"],
    ...["--uid", String(USER.id), "--gid", String(USER.id)],
    ...["--hostname", "sandbox"],
    ...shown.arguments,
    ...folder.etc,
    ...["--proc", "/proc", "--dev", "/dev"],
    ...["--bind", folder.sharedMemory, "/dev/shm", "--remount-ro", "/dev"],
    ...binds,
    ...["--remount-ro", "/", "--chdir", cwd],
  ];
  return {
    rung: "namespace",
    command: bwrap,
    args: ["--block-fd", "3", ...FROM_INPUTS, ...command],
    env: {},
    cwd: "/",
    inputs: [toInput(inside), filter],
    backingPaths: [],
    wrapped: true,
    meant: meantMounts(binds),
  };
}

/** A jail without the mounts: for what is asked of it before or beside the commands, when no guest may have a say. */
export function bareJail(parts: JailParts, script: string): JailLaunch {
  const command = [parts.shell, "--noprofile", "--norc", "-c", script];
  return jailLaunch({ ...parts, mounts: [], cwd: "/" }, [], command);
}

export function unavailable(reason: string): SandboxError {
  return new SandboxError(
    "ISOLATION_UNAVAILABLE",
    `The machine's own programs cannot be run behind a wall here, because ${reason}. Nothing was started.`,
    { reason },
  );
}
