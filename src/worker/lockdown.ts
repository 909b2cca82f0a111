/**
 * Takes away from a thread of the worker what Node's permission model leaves open: other threads without it,
 * sockets, signals, and the process's own doors. Preloaded (`--import`) by the rungs `hardened` and `namespace`
 * in the main thread and, since threads inherit the flags, in every thread, before any of our code runs.
 *
 * A hurdle and no boundary: code that corrupts the memory of the process is past it. It takes the few functions
 * that all of `net`, `http`, `fetch`, `dns` … end in, and loads none of those: loading all that could be harmful
 * cost 95 to 330 ms, this costs 1 to 3. Properties stay configurable, because the engine's own defenses patch
 * some of them again.
 */
import async_hooks, { AsyncLocalStorage } from "node:async_hooks";
import module, { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import v8 from "node:v8";
import { isMainThread } from "node:worker_threads";
import { lockNetwork } from "./lockdown-network.ts";
import { lockThreads } from "./lockdown-threads.ts";
import { refuse } from "./refuse.ts";

// What AsyncLocalStorage needs of `async_hooks` is set up by its first use, which must come before.
new AsyncLocalStorage().run(undefined, () => undefined);

const folder = new URL("./", import.meta.url);
const networkAllowed = new URL(import.meta.url).searchParams.get("network") === "allowed";

lockThreads(folder);
if (!networkAllowed) lockNetwork();
lockProcess();
lockModules();
syncBuiltinESMExports();

function lockProcess(): void {
  const { pid } = process;
  // `process.kill` is this behind a check of its arguments, and would not find it any more.
  const { _kill: send } = process as unknown as { _kill(pid: number, signal: number): number };
  const { SIGKILL } = os.constants.signals;
  refuse(process, [
    "_debugEnd",
    "_debugProcess",
    "_getActiveHandles",
    "_getActiveRequests",
    "_kill",
    "_linkedBinding",
    "_startProfilerIdleNotifier",
    "_stopProfilerIdleNotifier",
    "abort",
    "binding",
    "chdir",
    "dlopen",
    "execve",
    "initgroups",
    "loadEnvFile",
    "openStdin",
    "setegid",
    "seteuid",
    "setgid",
    "setgroups",
    "setuid",
  ]);
  // The process may end itself: its watcher thread has no other way.
  const kill = (target: number, signal?: string | number): true => {
    if (target === pid && signal === "SIGKILL" && send(pid, SIGKILL) === 0) return true;
    throw new Error("process.kill is not available in this process");
  };
  Object.defineProperty(process, "kill", { value: kill, configurable: true, writable: true });
  // A report tells the host's paths and network interfaces; the getter would make one.
  Object.defineProperty(process, "report", { value: undefined, configurable: true, writable: true });
  // bubblewrap sets it although it was told to clear all.
  delete process.env.PWD;
}

function lockModules(): void {
  // Both run code in a thread that has no lockdown, or write where they are told.
  refuse(module, ["register", "enableCompileCache"]);
  // They hand out the objects inside Node's own handles, and with those their constructors.
  refuse(async_hooks, ["createHook", "executionAsyncResource"]);
  // Another process of the same user could be slowed down by it.
  refuse(os, ["setPriority"]);
  refuse(v8, ["getHeapSnapshot", "setFlagsFromString", "setHeapSnapshotNearHeapLimit", "writeHeapSnapshot"]);
  // Other threads cannot even load it.
  if (isMainThread) refuse(process.getBuiltinModule("node:trace_events"), ["createTracing"]);
}
