/**
 * Which rung a sandbox stands on. A rung that was asked for and cannot be given is an error: nothing is silently
 * downgraded. `"auto"` goes down from the strongest and keeps the reasons.
 */
import { realpathSync } from "node:fs";
import { SandboxError } from "../../shared/errors.ts";
import type { IsolationLayer } from "../../shared/sandbox.ts";
import { type CodeCache, codeCacheFor } from "../code-cache.ts";
import { hardenedLaunch } from "./hardened.ts";
import type { Launch, LaunchInput, RungName, Unavailable } from "./launch.ts";
import { namespaceLaunch } from "./namespace.ts";
import { type NodeVersion, parseNodeVersion } from "./node-version.ts";
import { processLaunch } from "./process.ts";
import { runOnce } from "./run-once.ts";

/** What a rung says of itself when it is on. */
const ON: Readonly<Record<RungName, string>> = {
  process: "a process of its own with an empty environment",
  hardened: "Node's permission model, and a lockdown in every thread",
  namespace: "a bubblewrap jail without capabilities, network, /proc and the host's files",
};

/** A launch, and the ladder with the reason for each rung that is on or off. */
export interface ChosenRung {
  readonly launch: Launch;
  readonly layers: readonly IsolationLayer[];
}

/** @throws SandboxError `ISOLATION_UNAVAILABLE` when a demanded rung cannot be given, with the reason. */
export async function chooseRung(isolation: RungName | "auto", given: LaunchInput): Promise<ChosenRung> {
  const input = withRealPaths(given);
  const off = new Map<RungName, string>();
  const asked: readonly RungName[] =
    isolation === "auto" ? ["namespace", "hardened", "process"] : [isolation];
  for (const rung of asked) {
    const launch = await tryRung(rung, input);
    if (!("unavailable" in launch))
      return { launch: { ...launch, codeCache: codeCacheOf(input) }, layers: toLayers(launch.rung, off) };
    off.set(rung, launch.unavailable);
  }
  const reason = off.get(asked[0] ?? "process") ?? "";
  throw new SandboxError(
    "ISOLATION_UNAVAILABLE",
    `isolation: "${isolation}" cannot be given here, because ${reason}. Nothing was started. ` +
      'Use isolation: "auto" for the strongest that this machine gives.',
    { isolation, reason },
  );
}

async function tryRung(rung: RungName, input: LaunchInput): Promise<Launch | Unavailable> {
  switch (rung) {
    case "process":
      return processLaunch(input);
    case "hardened": {
      const version = await versionOf(input);
      return "unavailable" in version ? version : hardenedLaunch(input, version);
    }
    case "namespace":
      return namespaceLaunch(input);
  }
}

/** Flags may change what V8 makes of code; with flags of the caller's it compiles by itself. */
function codeCacheOf({
  codeCacheDirectory = null,
  execArgv,
  workerFile,
  nodePath,
}: LaunchInput): CodeCache | null {
  if (codeCacheDirectory === null || execArgv.length > 0) return null;
  return codeCacheFor({ directory: codeCacheDirectory, workerFile, nodePath });
}

function toLayers(chosen: RungName, off: ReadonlyMap<RungName, string>): IsolationLayer[] {
  const ladder: readonly RungName[] = ["process", "hardened", "namespace"];
  const rungs = ladder.map((name, height) => {
    if (height <= ladder.indexOf(chosen)) return { name, on: true, reason: ON[name] };
    return { name, on: false, reason: off.get(name) ?? "not asked for" };
  });
  const filter =
    chosen === "namespace"
      ? { on: true, reason: "the kernel refuses the jail what Node.js has no use for" }
      : { on: false, reason: "a part of the jail" };
  return [...rungs, { name: "seccomp", ...filter }];
}

// Rights go by text: a link on the way to a mount would be another text than the one that the worker uses.
function withRealPaths(input: LaunchInput): LaunchInput {
  return {
    ...input,
    workerFile: realpathSync(input.workerFile),
    mounts: input.mounts.map(({ backingPath, access }) => ({ backingPath: toRealPath(backingPath), access })),
  };
}

function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there any more: the worker says so, in the words of the mount.
    return path;
  }
}

const versions = new Map<string, Promise<NodeVersion | Unavailable>>();

function versionOf({ nodePath, ownNode }: LaunchInput): Promise<NodeVersion | Unavailable> {
  const before = versions.get(nodePath);
  if (before !== undefined) return before;
  const asked = (async () => {
    const text = ownNode ? process.version : (await runOnce(nodePath, ["--version"])).stdout;
    return parseNodeVersion(text) ?? { unavailable: `${nodePath} names no version of Node.js` };
  })();
  versions.set(nodePath, asked);
  return asked;
}
