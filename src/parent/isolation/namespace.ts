/**
 * The third rung: a jail made by bubblewrap from namespaces of the kernel, behind a filter of system calls, with
 * the second rung inside it. The mounts lie at neutral places, so not even their names of the host are inside. A
 * boundary of the operating system, faults of the kernel excepted.
 *
 * The process group is the jail's life: bubblewrap outside, its process 1 and the worker inside are one group,
 * process 1 cannot leave it, and with process 1 the kernel ends all that is inside.
 */
import { basename, dirname } from "node:path";
import { isMainThread } from "node:worker_threads";
import { ENDS_WITH_PARENT_ARGUMENT } from "../../protocol/lifeline.ts";
import { shownCodeCaches } from "../close-code-cache.ts";
import { findJail } from "./bubblewrap.ts";
import { findOwnCodeProblem } from "./guard-own-code.ts";
import { FROM_INPUTS, jailArguments, jailFolders, toInput } from "./jail-arguments.ts";
import type { Launch, LaunchInput, Unavailable } from "./launch.ts";
import { permissionFlags } from "./permission-flags.ts";
import { systemCallFilter } from "./system-call-filter.ts";

export async function namespaceLaunch(input: LaunchInput): Promise<Launch | Unavailable> {
  const problem = findOwnCodeProblem(input);
  if (problem !== null) return { unavailable: problem };
  const jail = await findJail(input.nodePath);
  if ("unavailable" in jail) return jail;
  const { bwrap, node, libraries, version } = jail;
  const filter = systemCallFilter(input.network);
  if (filter === null) throw new Error("a jail was found on an architecture that has no filter");
  const mounts = input.mounts.map(({ backingPath, access }, index) => ({
    from: backingPath,
    to: `/m/${index}`,
    writable: access === "rw",
  }));
  // Over the mounts that show it.
  const closed = shownCodeCaches(input.mounts, input.codeCacheDirectory ?? null).map(
    ({ directory, mount, below }) => ({
      from: below === "" ? (mounts[mount]?.from ?? directory) : directory,
      to: below === "" ? `/m/${mount}` : `/m/${mount}/${below}`,
      writable: false,
    }),
  );
  const workerFile = `/worker/${basename(input.workerFile)}`;
  const inside = [
    // The kernel counts the death of the thread that spawns as the death of the parent.
    ...jailArguments({ node, libraries, network: input.network, dieWithParent: isMainThread }),
    ...Object.entries(input.env).flatMap(([name, value]) => ["--setenv", name, value]),
    ...jailFolders(dirname(input.workerFile), [...mounts, ...closed]),
  ];
  return {
    rung: "namespace",
    command: bwrap,
    args: [
      ...FROM_INPUTS,
      "/node/node",
      // The jail is the wall around files, and without full rights here there would be no symbolic links.
      ...permissionFlags(version, workerFile, "all", input.network),
      ...input.execArgv,
      workerFile,
      ...(isMainThread ? [ENDS_WITH_PARENT_ARGUMENT] : []),
    ],
    env: {},
    cwd: "/",
    inputs: [toInput(inside), filter],
    backingPaths: mounts.map(({ to }) => to),
    wrapped: true,
  };
}
