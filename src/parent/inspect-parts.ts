/** What a sandbox would be made of here: which Node.js, which worker, which bubblewrap. For diagnosis; opens none. */
import { buildId } from "./build-id.ts";
import { type LocatedWorker, locateWorker, readBuildId } from "./find-worker.ts";
import { findBubblewrap, findJail } from "./isolation/bubblewrap.ts";
import { isSince, type NodeVersion, parseNodeVersion } from "./isolation/node-version.ts";
import { runOnce } from "./isolation/run-once.ts";

/** The oldest Node.js that is supported and tested; the same as `engines` of package.json. */
export const OLDEST_NODE = "20.18.1";

/** One Node.js. */
export interface NodeFacts {
  readonly path: string;
  /** Such as `v22.15.0`; `null` when it tells none. */
  readonly version: string | null;
  readonly supported: boolean;
  /** Why it cannot be used; `null` when it can. */
  readonly problem: string | null;
  /** What depends on the version, and whether this one has it. */
  readonly differences: readonly VersionDifference[];
}

/** One thing that not every supported version has. */
export interface VersionDifference {
  readonly what: string;
  /** The first version of each release line that has it. */
  readonly since: readonly string[];
  readonly here: boolean;
}

const DIFFERENCES: readonly Omit<VersionDifference, "here">[] = [
  // The engine needs `module.registerHooks` for it.
  { what: "defense-in-depth of level full", since: ["22.15", "23.5"] },
  { what: "a worker that no signal makes open its inspector", since: ["22.14", "23.7"] },
  { what: "sockets refused by the permission model too", since: ["25.0"] },
];

/** The Node.js of this process. */
export function ownNode(): NodeFacts {
  return toFacts(process.execPath, process.version);
}

/** Asks a Node.js for its version. Never rejects. */
export async function inspectNode(path: string): Promise<NodeFacts> {
  const { ok, stdout, why } = await runOnce(path, ["--version"]);
  return toFacts(path, ok ? stdout.trim() : null, why);
}

function toFacts(path: string, text: string | null, why = ""): NodeFacts {
  const version = parseNodeVersion(text ?? "");
  const differences = DIFFERENCES.map((difference) => ({
    ...difference,
    here: version !== null && isSince(version, difference.since),
  }));
  if (version === null) {
    const problem =
      why === "" ? "it names no version of Node.js" : `it cannot be asked for its version: ${why}`;
    return { path, version: null, supported: false, problem, differences };
  }
  const [exact = ""] = /^v?\d+\.\d+\.\d+/.exec(text ?? "") ?? [];
  const supported = isSupported(version, exact);
  const problem = supported ? null : `it is older than ${OLDEST_NODE}`;
  return { path, version: exact, supported, problem, differences };
}

function isSupported({ major, minor }: NodeVersion, text: string): boolean {
  const patch = Number(/^v?\d+\.\d+\.(\d+)/.exec(text)?.[1] ?? 0);
  const [oldMajor = 0, oldMinor = 0, oldPatch = 0] = OLDEST_NODE.split(".").map(Number);
  if (major !== oldMajor) return major > oldMajor;
  return minor === oldMinor ? patch >= oldPatch : minor > oldMinor;
}

/** The built worker, as far as its files tell. */
export interface WorkerFacts {
  /** Its main file; `null` when there is none. */
  readonly path: string | null;
  readonly foundBy: LocatedWorker["foundBy"] | null;
  /** What its folder says that it was built from; `null` when it says nothing. */
  readonly buildId: string | null;
  readonly libraryBuildId: string;
  /** Why it cannot be used; `null` when nothing is known against it. */
  readonly problem: string | null;
}

/** Looks at the disk only. Never throws. */
export function inspectWorker(workerPath: string | null): WorkerFacts {
  const nothing = { path: null, foundBy: null, buildId: null, libraryBuildId: buildId };
  let found: LocatedWorker;
  try {
    found = locateWorker(workerPath);
  } catch (error) {
    return { ...nothing, problem: error instanceof Error ? error.message : String(error) };
  }
  const own = readBuildId(found.file);
  const problem =
    own === null || own === buildId
      ? null
      : `it is of another build (${own}) than this command line (${buildId})`;
  return { ...nothing, path: found.file, foundBy: found.foundBy, buildId: own, problem };
}

/** The program that makes jails. */
export interface BubblewrapFacts {
  readonly path: string | null;
  readonly version: string | null;
  readonly works: boolean;
  /** Why it makes no jail here; `null` when it does. */
  readonly reason: string | null;
}

/** Makes a jail for a moment, with the Node.js that the worker gets. Never rejects. */
export async function inspectBubblewrap(nodePath: string): Promise<BubblewrapFacts> {
  const jail = await findJail(nodePath);
  const path = process.platform === "linux" ? (findBubblewrap() ?? null) : null;
  const said = path === null ? "" : (await runOnce(path, ["--version"])).stdout;
  return {
    path,
    version: /\d+(?:\.\d+)+/.exec(said)?.[0] ?? null,
    works: !("unavailable" in jail),
    reason: "unavailable" in jail ? jail.unavailable : null,
  };
}
