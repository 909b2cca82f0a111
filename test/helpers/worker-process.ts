import { cpSync, existsSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../build/paths.ts";
import { descendants, until } from "./processes.ts";

/** Copies the built worker, so that what lies beside it afterwards came from its process. */
export function copyWorker(to: string, keepAll = false): string {
  cpSync(join(root, "dist/worker"), to, {
    recursive: true,
    filter: (path) => keepAll || !/vendor|\.wasm$/.test(path),
  });
  return to;
}

/** The processes under this one that are the worker's own Node.js, also inside a jail (Linux). */
function workersBelow(pid: number = process.pid): number[] {
  return descendants(pid).filter((candidate) => {
    try {
      const isNode = /\/(?:node|main)$/.test(readlinkSync(`/proc/${candidate}/exe`));
      return isNode && readFileSync(`/proc/${candidate}/cmdline`, "latin1").includes("main.js");
    } catch {
      // Gone between the listing and the look.
      return false;
    }
  });
}

/** The one worker below this process. */
export function theWorker(): number {
  const [pid, ...others] = workersBelow();
  if (pid === undefined || others.length > 0)
    throw new Error(`expected one worker, found ${pid === undefined ? 0 : others.length + 1}`);
  return pid;
}

/** Whether a process has a TCP port open for others, such as that of an inspector (Linux). */
export function listens(pid: number): boolean {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
      } catch {
        // Closed between the listing and the look.
        return undefined;
      }
    }),
  );
  const LISTEN = "0A";
  return ["tcp", "tcp6"].some((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "latin1")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .some((fields) => fields[3] === LISTEN && sockets.has(fields[9])),
  );
}

/** Everything below a directory, with sizes: equal lists mean that nothing was left behind. */
export function listAll(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => `${name} ${statSync(join(directory, name)).size}`)
    .sort();
}

/** Signals the one worker; resolves when it has gone with what stands around it, and this process has noticed. */
export async function endWorker(signal: NodeJS.Signals): Promise<void> {
  const all = descendants(process.pid);
  process.kill(theWorker(), signal);
  await until(() => !all.some((pid) => existsSync(`/proc/${pid}`)), 20_000);
  // Its exit is told in the turn after the system gave the number back.
  await new Promise((resolve) => setImmediate(resolve));
}
