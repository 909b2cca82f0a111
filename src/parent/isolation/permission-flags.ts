/** The flags of Node's permission model and of what goes with it, by the version of the Node that gets them. */
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { isSince, type NodeVersion } from "./node-version.ts";

/** Flags that every supported version takes. */
const ALWAYS = [
  "--allow-worker",
  "--no-addons",
  "--disable-proto=delete",
  // Both only say that the flags above are in use.
  "--disable-warning=SecurityWarning",
  "--disable-warning=ExperimentalWarning",
];

/** Flags that close what came, or could first be closed, with these versions. */
const SINCE: readonly (readonly [flag: string, ...versions: string[]])[] = [
  ["--no-experimental-sqlite", "22.5"],
  ["--no-experimental-websocket", "22.0"],
  ["--disable-sigusr1", "22.14", "23.7"],
];

/** File rights: directories, or everything where other walls stand around the files. */
export type FileRights = { readonly read: readonly string[]; readonly write: readonly string[] } | "all";

/** Flags of Node.js for a worker whose files are where `workerFile` says, in the worker's own view. */
export function permissionFlags(
  version: NodeVersion,
  workerFile: string,
  rights: FileRights,
  network: boolean,
): string[] {
  const { read, write } = rights === "all" ? { read: ["*"], write: ["*"] } : rights;
  return [
    isSince(version, ["22.13", "23.5"]) ? "--permission" : "--experimental-permission",
    ...read.map((path) => `--allow-fs-read=${path}`),
    ...write.map((path) => `--allow-fs-write=${path}`),
    ...ALWAYS,
    ...SINCE.filter(([, ...since]) => isSince(version, since)).map(([flag]) => flag),
    ...(network && isSince(version, ["25.0"]) ? ["--allow-net"] : []),
    `--import=${pathToFileURL(lockdownFile(workerFile)).href}${network ? "?network=allowed" : ""}`,
  ];
}

/** The lockdown of a worker lies beside it. */
export function lockdownFile(workerFile: string): string {
  return join(dirname(workerFile), "lockdown.js");
}
