/**
 * Starts the worker process: argv, environment, descriptors, process group. Knows no protocol.
 */

import { closeSync } from "node:fs";
import type { Duplex, Readable, Writable } from "node:stream";
import { execa } from "execa";
import { CODE_CACHE_ARGUMENT } from "../protocol/code-cache.ts";
import { MEMORY_MARK } from "../protocol/lifeline.ts";
import { openCodeCache } from "./code-cache.ts";
import { shutInherited } from "./inherited-descriptors.ts";
import type { Launch } from "./isolation/launch.ts";
import { exitOfWrapped, findWrapped } from "./isolation/wrapped-worker.ts";
import { killGroup, killTree } from "./kill-tree.ts";

/** What ends a process, and what it said last on its stderr. */
export interface WorkerExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Whether the worker said that it ends itself for memory. */
  readonly overMemory: boolean;
  readonly stderrTail: string;
}

/** A running worker process. */
export interface WorkerProcess {
  /** Of the process that runs the guest; of the one around it until that has started. */
  readonly pid: number;
  /** Of the process that was started, whatever is inside it, and of its group. */
  readonly outerPid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles once, when the process is gone. Never rejects. */
  readonly exit: Promise<WorkerExit>;
  /** `SIGKILL` goes to the whole group, any other signal to the worker. */
  kill(signal: "SIGTERM" | "SIGKILL"): void;
  /** Whether the host's event loop waits for this process, and reads what it sends. */
  hold(on: boolean): void;
  /** Says a word on the lifeline, for a jail that waits for one before it starts what runs in it. */
  release(): void;
}

/** How to start it. */
export interface SpawnOptions {
  readonly launch: Launch;
  onStderr(text: string): void;
}

/** How long the last bytes of a process that is gone are waited for: what it left behind may hold the other ends. */
const DRAIN_MS = 100;
/** The same for a jail: what is in it cannot be left behind, but may die after what is around it. */
const WRAPPED_DRAIN_MS = 5_000;

/** Bytes of the worker's stderr that an error message may quote. */
const STDERR_TAIL_BYTES = 4096;

/** Node.js on Windows does not start without this one. Everywhere else the environment is literally empty. */
const WINDOWS_NEEDS = ["SystemRoot"] as const;

/** The environment of the worker: the explicit additions and nothing else. */
export function workerEnvironment(
  additions: Readonly<Record<string, string>>,
  platform: string = process.platform,
  host: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const environment: Record<string, string> = {};
  if (platform === "win32") {
    for (const name of WINDOWS_NEEDS) {
      const value = host[name];
      if (value !== undefined) environment[name] = value;
    }
  }
  return { ...environment, ...additions };
}

/** Rejects when the process cannot be started (no such Node, no more processes). */
export async function spawnWorker(options: SpawnOptions): Promise<WorkerProcess> {
  const { launch } = options;
  const inputs = launch.inputs.map((input): [Uint8Array] => [input]);
  const code = openCode(launch);
  const inherited = shutInherited(4 + inputs.length + code.entries.length);
  const child = execa(launch.command, [...launch.args, ...code.args], {
    env: workerEnvironment(launch.env),
    extendEnv: false,
    cwd: launch.cwd,
    // 3 is the lifeline: the worker's watcher thread dies with the parent and tells by it why it ends.
    stdio: ["pipe", "pipe", "pipe", "pipe", ...inputs, ...code.entries, ...inherited.entries],
    // A group of its own: the terminal's Ctrl-C goes to the host, which ends the worker in its own order.
    detached: process.platform !== "win32",
    cleanup: false,
    buffer: false,
    reject: false,
    windowsHide: true,
    stripFinalNewline: false,
  });
  inherited.release();
  code.release();
  const { stdin, stdout, stderr } = child;
  const lifeline = child.stdio[3] as unknown as Duplex | null;
  let tail = "";
  stderr.setEncoding("utf8");
  stderr.on("data", (text: string) => {
    tail = (tail + text).slice(-STDERR_TAIL_BYTES);
    options.onStderr(text);
  });
  // A write to a worker that has just died is no fault of the host: the exit tells it.
  for (const stream of [stdin, stdout, stderr, lifeline]) stream?.on("error", () => undefined);

  let overMemory = false;
  lifeline?.on("data", (bytes: Uint8Array) => {
    overMemory ||= bytes.includes(MEMORY_MARK);
  });

  let gone = false;
  const exit = new Promise<WorkerExit>((resolve) => {
    child.once("exit", (code, signal) => {
      gone = true;
      stdout.resume();
      const how = launch.wrapped ? exitOfWrapped(code, signal) : { code, signal };
      // Whoever ended the process around the worker did not end the worker with it.
      if (launch.wrapped) killGroup(child.pid);
      const drained = (): void => {
        // A process that the worker has left behind may hold the other ends and write for ever.
        for (const stream of [stdin, stdout, stderr, lifeline]) stream?.destroy();
        resolve({ ...how, overMemory, stderrTail: tail });
      };
      const timer = setTimeout(drained, launch.wrapped ? WRAPPED_DRAIN_MS : DRAIN_MS);
      child.once("close", () => {
        clearTimeout(timer);
        drained();
      });
    });
  });
  const result = await Promise.race([
    new Promise<"started">((resolve) => child.once("spawn", () => resolve("started"))),
    // With `reject: false` a failed spawn resolves, with the cause in it.
    child,
  ]);
  if (result !== "started")
    throw result.cause ?? new Error(result.shortMessage ?? "the worker did not start");

  const { pid } = child;
  if (pid === undefined) throw new Error("the worker has no process id");
  // Bun's pipes have neither: there the host runs until it has disposed of its sandboxes.
  const handles = [child, stdin, stdout, stderr, lifeline] as unknown as {
    ref?(): void;
    unref?(): void;
    destroyed?: boolean;
  }[];
  let wrapped: number | null = null;
  const workerPid = (): number => {
    if (launch.wrapped) wrapped ??= findWrapped(pid);
    return wrapped ?? pid;
  };
  return {
    get pid() {
      return workerPid();
    },
    outerPid: pid,
    stdin,
    stdout,
    exit,
    kill(signal) {
      // After its exit the number may belong to somebody else.
      if (gone) return;
      // Windows has one way to end a process, and TERM would leave behind what the worker has started.
      if (signal === "SIGKILL" || process.platform === "win32") killTree(pid, () => child.kill("SIGKILL"));
      else if (!launch.wrapped) child.kill(signal);
      // Asked anew: the worker may be gone before the jail around it is, and its number somebody else's.
      else signalIfThere(findWrapped(pid), signal);
    },
    hold(on) {
      for (const handle of handles) {
        // A closed socket keeps nothing alive, and would keep a listener for each call. A jail closes its lifeline.
        if (handle.destroyed === true) continue;
        on ? handle.ref?.() : handle.unref?.();
      }
      // Nobody has asked anything: a worker that talks all the same must not keep the host busy.
      if (on) stdout.resume();
      else stdout.pause();
    },
    release() {
      lifeline?.write("\n");
    },
  };
}

/** The compiled form of the worker's code as one more descriptor, and what tells the worker its number. */
function openCode({ codeCache = null, inputs }: Launch): {
  readonly entries: readonly "ignore"[];
  readonly args: readonly string[];
  release(): void;
} {
  const descriptor = codeCache === null ? null : openCodeCache(codeCache);
  if (descriptor === null) return { entries: [], args: [], release: () => undefined };
  return {
    // execa passes any number on; its types know the first ones.
    entries: [descriptor as unknown as "ignore"],
    args: [`${CODE_CACHE_ARGUMENT}${4 + inputs.length}`],
    release: () => closeSync(descriptor),
  };
}

function signalIfThere(pid: number | null, signal: "SIGTERM"): void {
  if (pid === null) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended since: that is what the signal was for.
  }
}
