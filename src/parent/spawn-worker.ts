/**
 * Starts the worker process: argv, environment, descriptors, process group. Knows no protocol.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import type { Duplex, Readable, Writable } from "node:stream";
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
  /** More arguments for the worker. @default none */
  readonly extraArgs?: readonly string[];
  onStderr(text: string): void;
}

/** A process that did start, and so has its streams. */
type StartedProcess = ChildProcess & { readonly pid: number };
type Streams = [stdin: Writable, stdout: Readable, stderr: Readable, lifeline: Duplex];

/** Number of the first descriptor that brings an input of the launch. */
const FIRST_INPUT = 4;

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
  const { launch, extraArgs = [] } = options;
  const child = await start(launch, extraArgs);
  const [stdin, stdout, stderr, lifeline] = child.stdio as unknown as Streams;
  let tail = "";
  stderr.setEncoding("utf8");
  stderr.on("data", (text: string) => {
    tail = (tail + text).slice(-STDERR_TAIL_BYTES);
    options.onStderr(text);
  });
  // A write to a worker that has just died is no fault of the host: the exit tells it.
  for (const stream of [stdin, stdout, stderr, lifeline]) stream.on("error", () => undefined);

  let overMemory = false;
  lifeline.on("data", (bytes: Uint8Array) => {
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
  const { pid } = child;
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
      lifeline.write("\n");
    },
  };
}

/**
 * By Node.js itself: execa, which starts the short programs here, compares each descriptor with all others, a tenth of
 * a second where 251 is open, and gives nothing that a process which stays could use.
 */
async function start(launch: Launch, extraArgs: readonly string[]): Promise<StartedProcess> {
  const { inputs } = launch;
  const code = openCode(launch);
  const inherited = shutInherited(FIRST_INPUT + inputs.length + code.entries.length);
  let child: ChildProcess;
  try {
    child = spawn(launch.command, [...launch.args, ...extraArgs, ...code.args], {
      env: workerEnvironment(launch.env),
      cwd: launch.cwd,
      // 3 is the lifeline: the worker's watcher thread dies with the parent and tells by it why it ends.
      stdio: [
        "pipe",
        "pipe",
        "pipe",
        "pipe",
        ...inputs.map(() => "pipe" as const),
        ...code.entries,
        ...inherited.entries,
      ],
      // A group of its own: the terminal's Ctrl-C goes to the host, which ends the worker in its own order.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
  } finally {
    inherited.release();
    code.release();
  }
  // Without descriptors left it has no streams either.
  if (child.pid === undefined) throw tellLimit((await once(child, "error"))[0], inherited.highest);
  inputs.forEach((input, index) => {
    const stream = child.stdio[FIRST_INPUT + index] as Writable;
    // Who does not read it to its end says so by its exit.
    stream.on("error", () => undefined);
    stream.end(input);
  });
  // A signal that cannot be sent, say.
  child.on("error", () => undefined);
  return child as StartedProcess;
}

/** To shut a descriptor it has to be opened anew in the child, which a limit below its number does not allow. */
function tellLimit(error: NodeJS.ErrnoException, highest: number | undefined): Error {
  if (error.code !== "EINVAL" || highest === undefined) return error;
  const why = `descriptor ${highest}, with which this process was started, is above the limit of open files (ulimit -n)`;
  return new Error(why, { cause: error });
}

/** The compiled form of the worker's code as one more descriptor, and what tells the worker its number. */
function openCode({ codeCache = null, inputs }: Launch): {
  readonly entries: readonly number[];
  readonly args: readonly string[];
  release(): void;
} {
  const descriptor = codeCache === null ? null : openCodeCache(codeCache);
  if (descriptor === null) return { entries: [], args: [], release: () => undefined };
  return {
    entries: [descriptor],
    args: [`${CODE_CACHE_ARGUMENT}${FIRST_INPUT + inputs.length}`],
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
