/**
 * Threads: only our own scripts, only with the flags of this process. `new Worker(x, { execArgv: [] })` would
 * start a thread without the permission model and without this lockdown.
 */
import { fileURLToPath } from "node:url";
import workerThreads from "node:worker_threads";

/** The scripts that may run in a thread, below the worker's folder. */
const SCRIPTS = [
  "lifeline.js",
  "engine/bundle/chunks/js-exec-worker.js",
  "engine/bundle/chunks/sqlite3-worker.js",
  "engine/bundle/chunks/worker.js",
];

/** The options that our own code uses; all others would be the guest's. */
const OPTIONS = ["name", "resourceLimits", "stderr", "stdin", "stdout", "transferList", "workerData"];

// Copies, because a guest may replace the originals.
const { construct, getPrototypeOf, ownKeys } = Reflect;
const { hasOwn } = Object;

export function lockThreads(folder: URL): void {
  const { Worker: PlainWorker } = workerThreads;
  const allowed = SCRIPTS.map((script) => new URL(script, folder));
  const paths = allowed.map((url) => fileURLToPath(url));
  const urls = allowed.map((url) => url.href);
  let handleHidden = false;

  const LockedWorker = new Proxy(PlainWorker, {
    construct(target, [script, given]: unknown[], newTarget) {
      const path = find(toText(script));
      if (path === undefined) throw new Error("this script may not run in a thread of this process");
      // Without a prototype: what a guest puts on `Object.prototype` is no option.
      const options = Object.create(null) as Record<string, unknown>;
      if (typeof given === "object" && given !== null) {
        for (let at = 0; at < OPTIONS.length; at++) {
          const name = OPTIONS[at];
          if (name !== undefined && hasOwn(given, name)) options[name] = (given as typeof options)[name];
        }
      }
      const worker = construct(target, [path, options], newTarget) as object;
      if (!handleHidden) handleHidden = hideConstructor(worker);
      return worker;
    },
  });
  PlainWorker.prototype.constructor = LockedWorker;
  Object.defineProperty(workerThreads, "Worker", { value: LockedWorker, configurable: true, writable: true });

  // Loops by index and no methods of arrays, for the same reason as the copies above.
  function find(script: string): string | undefined {
    for (let at = 0; at < paths.length; at++) {
      if (script === paths[at] || script === urls[at]) return paths[at];
    }
    return undefined;
  }
}

function toText(script: unknown): string {
  if (typeof script === "string") return script;
  return script instanceof URL ? `${script.href}` : "";
}

/** A `Worker` holds Node's inner handle, whose class would start a thread with any flags. */
function hideConstructor(worker: object): boolean {
  let hidden = false;
  for (const key of ownKeys(worker)) {
    const value: unknown = (worker as Record<PropertyKey, unknown>)[key];
    if (typeof value !== "object" || value === null || !("startThread" in value)) continue;
    const prototype = getPrototypeOf(value);
    if (prototype !== null && hasOwn(prototype, "constructor")) {
      Object.defineProperty(prototype, "constructor", { value: Object, configurable: true });
    }
    hidden = true;
  }
  return hidden;
}
