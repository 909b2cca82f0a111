/**
 * The second rung: Node's permission model and a lockdown of what it leaves open. A high hurdle, no boundary: it
 * is code in the process of the guest that holds, and links that the host put into a mount are followed.
 */
import { dirname } from "node:path";
import { shownCodeCaches } from "../close-code-cache.ts";
import { isAtOrBelow } from "../host-paths.ts";
import { findOwnCodeProblem } from "./guard-own-code.ts";
import type { Launch, LaunchInput, Unavailable } from "./launch.ts";
import type { NodeVersion } from "./node-version.ts";
import { permissionFlags } from "./permission-flags.ts";
import { workerDirectory } from "./worker-directory.ts";

export function hardenedLaunch(input: LaunchInput, version: NodeVersion): Launch | Unavailable {
  const folder = dirname(input.workerFile);
  const paths = input.mounts.map(({ backingPath }) => backingPath);
  const writable = input.mounts.filter(({ access }) => access === "rw").map(({ backingPath }) => backingPath);
  const rights = { read: outermost([folder, ...paths]), write: outermost(writable) };
  const problem = findOwnCodeProblem(input) ?? findCacheProblem(input) ?? findGrantProblem(rights.read);
  if (problem !== null) return { unavailable: problem };
  return {
    rung: "hardened",
    command: input.nodePath,
    args: [
      ...permissionFlags(version, input.workerFile, rights, input.network),
      ...input.execArgv,
      input.workerFile,
    ],
    env: input.env,
    cwd: workerDirectory(input.workerFile),
    inputs: [],
    backingPaths: paths,
    wrapped: false,
  };
}

// A grant reaches all that is below: a second one there adds nothing, and makes Node.js 20 abort in some forms.
function outermost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((other) => other !== path && isAtOrBelow(path, other)));
}

/** Rights are given to whole directories: what may write to a mount may write to all of it. */
function findCacheProblem({ mounts, codeCacheDirectory = null }: LaunchInput): string | null {
  const [shown] = shownCodeCaches(mounts, codeCacheDirectory);
  if (shown === undefined) return null;
  return `a mount that may be written to shows ${shown.directory}, where the worker's compiled code is kept`;
}

function findGrantProblem(grants: readonly string[]): string | null {
  for (const path of grants) {
    if (/[*,]/.test(path)) return `Node's permission model has its own meaning for "*" and "," in ${path}`;
    // Its table of grants loses `stat` and `readdir` of a directory when another grant continues its name.
    const longer = grants.find((other) => other !== path && other.startsWith(path));
    if (longer !== undefined)
      return `Node's permission model mixes up ${path} and ${longer}, whose names start alike`;
  }
  return null;
}
