/**
 * Where bubblewrap is and whether it can do its work here: asked once per Node.js, with the very arguments that
 * workers get, mounts apart. Only absolute paths are looked at: whoever controls `PATH` must not choose the jail.
 */
import { accessSync, constants, realpathSync } from "node:fs";
import { FROM_INPUTS, jailArguments, toInput } from "./jail-arguments.ts";
import type { Unavailable } from "./launch.ts";
import { type NodeVersion, parseNodeVersion } from "./node-version.ts";
import { runOnce } from "./run-once.ts";
import { sharedLibraries } from "./shared-libraries.ts";
import { systemCallFilter } from "./system-call-filter.ts";

const PLACES = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];

/** A bubblewrap that works, and what it must show of a Node.js. */
export interface Jail {
  readonly bwrap: string;
  /** Real path of the Node.js on the host. */
  readonly node: string;
  readonly libraries: readonly string[];
  readonly version: NodeVersion;
}

const known = new Map<string, Promise<Jail | Unavailable>>();

/** The same answer for the life of this process, a failure too. */
export function findJail(nodePath: string): Promise<Jail | Unavailable> {
  const before = known.get(nodePath);
  if (before !== undefined) return before;
  const asked = tryJail(nodePath).catch((error: unknown) => ({
    unavailable: error instanceof Error ? error.message : String(error),
  }));
  known.set(nodePath, asked);
  return asked;
}

/** Asks anew; `places` are the absolute paths to look at. */
export async function tryJail(
  nodePath: string,
  places: readonly string[] = PLACES,
  platform: string = process.platform,
): Promise<Jail | Unavailable> {
  if (platform !== "linux") return { unavailable: `there is no bubblewrap for ${platform}` };
  const bwrap = findBubblewrap(places);
  if (bwrap === undefined)
    return { unavailable: `bubblewrap is not installed (looked for ${places.join(", ")})` };
  const filter = systemCallFilter(false);
  if (filter === null)
    return { unavailable: `there is no filter of system calls for ${process.arch}, and no jail without one` };
  const node = realpathSync(nodePath);
  const libraries = await sharedLibraries(node);
  const input = toInput(jailArguments({ node, libraries, network: false, dieWithParent: true }));
  const { ok, stdout, why } = await runOnce(
    bwrap,
    [...FROM_INPUTS, "/node/node", "--version"],
    [input, filter],
  );
  if (!ok) {
    const bare = await runOnce(bwrap, ["--args", "4", "--", "/node/node", "--version"], [input]);
    const what = bare.ok ? "filter the system calls of a jail" : "make a jail";
    return { unavailable: `bubblewrap cannot ${what} here (${why})` };
  }
  const version = parseNodeVersion(stdout);
  return version === null
    ? { unavailable: `${nodePath} names no version of Node.js` }
    : { bwrap, node, libraries, version };
}

/** The first of the places that holds a program; `undefined` when none does. */
export function findBubblewrap(places: readonly string[] = PLACES): string | undefined {
  return findProgram(places);
}

/** The first of the paths at which a program lies. */
export function findProgram(paths: readonly string[]): string | undefined {
  return paths.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
