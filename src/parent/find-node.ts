/**
 * Which Node.js runs the worker. The host's own program is taken only when it is known to be a Node.js that runs
 * the file it is given: started as a child, any other would run the application a second time.
 */
import { accessSync, constants, statSync } from "node:fs";
import { basename } from "node:path";
import { SandboxError } from "../shared/errors.ts";

/** What the host's process says of its own program. */
export interface HostProgram {
  readonly execPath: string;
  readonly versions: Readonly<Record<string, string | undefined>>;
  /** Whether Node.js runs an application that is part of its own file. */
  readonly isSingleBinary: boolean;
}

/** Names under which Node.js is installed: `node`, `nodejs`, `node20`, `node-v22.1.0`, `node.exe`. */
const NODE_NAME = /^node(?:js)?(?:[-_]?v?\d+(?:\.\d+)*)?(?:\.exe)?$/i;

/** What `process.versions` holds besides Node.js → the name of the program that is running. */
const OTHER_PROGRAMS = { bun: "Bun", deno: "Deno", electron: "Electron", nw: "NW.js" } as const;

/**
 * The path of the Node.js for the worker: `nodePath`, or the program of this process.
 * @throws SandboxError `NODE_NOT_FOUND` when that is no Node.js, with what to set.
 */
export function findNode(nodePath: string | null, host: HostProgram = ownProgram()): string {
  if (nodePath !== null) return nodePath;
  const why = whyNotNode(host);
  if (why === null) return host.execPath;
  throw new SandboxError(
    "NODE_NOT_FOUND",
    `The worker runs on Node.js, and ${why}. Set nodePath to a Node.js of 20.18.1 or later, such as ` +
      'nodePath: "/usr/bin/node". Nothing was started.',
    { execPath: host.execPath },
  );
}

/**
 * At the opening of a sandbox, where the caller reads it: a first command would say it without the path.
 * A bare name is the system's to look up.
 *
 * @throws SandboxError `NODE_NOT_FOUND` when a `nodePath` is no file that can be executed.
 */
export function checkNodePath(nodePath: string | null): void {
  if (nodePath === null || basename(nodePath) === nodePath) return;
  const why = whyNotExecutable(nodePath);
  if (why === null) return;
  throw new SandboxError(
    "NODE_NOT_FOUND",
    `nodePath "${nodePath}" ${why}: expected the program of a Node.js of 20.18.1 or later, such as "/usr/bin/node".`,
    { nodePath },
  );
}

function whyNotExecutable(path: string): string | null {
  try {
    if (!statSync(path).isFile()) return "is no file";
    accessSync(path, constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "is not there" : `cannot be executed (${code})`;
  }
}

function whyNotNode({ execPath, versions, isSingleBinary }: HostProgram): string | null {
  for (const [key, name] of Object.entries(OTHER_PROGRAMS)) {
    if (versions[key] !== undefined) return `this process is ${name} ${versions[key]}`;
  }
  if (isSingleBinary) return `this process is an application in one file (${execPath})`;
  // The separators of both systems: a test, or a path that was carried over, may hold the other's.
  const name = basename(execPath.replaceAll("\\", "/"));
  return NODE_NAME.test(name) ? null : `the program of this process is called "${name}"`;
}

function ownProgram(): HostProgram {
  const packed = "pkg" in process || "__nexe" in process;
  return {
    execPath: process.execPath,
    versions: process.versions,
    isSingleBinary: packed || isSea(),
  };
}

// Asked for by name and not imported: Bun and Deno have no such module, and their bundlers would refuse it.
function isSea(): boolean {
  const sea = process.getBuiltinModule?.("node:sea");
  return sea?.isSea() === true;
}
