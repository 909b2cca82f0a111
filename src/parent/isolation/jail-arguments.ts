/**
 * What a jail is: the arguments of bubblewrap. A new user, process, network, mount, IPC, host name and cgroup
 * namespace, no capability, no variable, and a read-only root that holds Node.js, its libraries and the worker.
 * There is no `/proc`, no `/sys`, no `/etc`, no `/tmp` and no device: nothing in it needs one, and `/proc` would
 * tell where the mounts lie on the host.
 */

/** What is shown in a jail besides worker and mounts. */
export interface JailParts {
  /** Real paths on the host. */
  readonly node: string;
  readonly libraries: readonly string[];
  readonly network: boolean;
  /** Whether the jail ends with the thread that starts it. */
  readonly dieWithParent: boolean;
}

/** Where bubblewrap reads the rest: its arguments on descriptor 4, the filter of system calls on 5. */
export const FROM_INPUTS = ["--args", "4", "--seccomp", "5", "--"];

/** What names need to become addresses: shown only where the workspace allows a network. */
const NAME_FILES = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"];

export function jailArguments({ node, libraries, network, dieWithParent }: JailParts): string[] {
  return [
    "--unshare-all",
    ...(network ? ["--share-net"] : []),
    ...(dieWithParent ? ["--die-with-parent"] : []),
    "--clearenv",
    "--cap-drop",
    "ALL",
    "--hostname",
    "sandbox",
    ...readOnly(node, "/node/node"),
    // Where the loader looks for them.
    ...libraries.flatMap((path) => readOnly(path, path)),
    ...(network ? NAME_FILES.flatMap((path) => ["--ro-bind-try", path, path]) : []),
  ];
}

/** The worker's folder, the mounts, and the end: nothing can be made in the root after this. */
export function jailFolders(
  workerFolder: string,
  mounts: readonly { readonly from: string; readonly to: string; readonly writable: boolean }[],
): string[] {
  return [
    ...readOnly(workerFolder, "/worker"),
    ...mounts.flatMap(({ from, to, writable }) => (writable ? ["--bind", from, to] : readOnly(from, to))),
    "--remount-ro",
    "/",
    "--chdir",
    "/worker",
  ];
}

/** As bubblewrap reads them from a descriptor, so that they stand in no command line: it tells the host's paths. */
export function toInput(jail: readonly string[]): Uint8Array {
  return new TextEncoder().encode(jail.map((argument) => `${argument}\0`).join(""));
}

function readOnly(from: string, to: string): string[] {
  return ["--ro-bind", from, to];
}
