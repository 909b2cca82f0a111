/**
 * What this process holds at a moment, counted so that two moments can be compared: processes, descriptors,
 * handles, listeners, entries in a directory, and the timers that our own code has started.
 */
import { createHook } from "node:async_hooks";
import { readdirSync, readlinkSync } from "node:fs";
import { descendants } from "./processes.ts";

/** Counts by name; equal when nothing was left behind. */
export type Stock = Readonly<Record<string, unknown>>;

const timers = new Map<number, string>();

// `getActiveResourcesInfo` leaves out timers that hold no event loop, and counts those of the test runner.
const hook = createHook({
  init(id, type) {
    if (type !== "Timeout" && type !== "Immediate") return;
    const { stack = "" } = new Error("made here");
    const ours = stack
      .split("\n")
      .find((line) => /\/(?:src|dist)\//.test(line) && !line.includes("node_modules"));
    if (ours !== undefined) timers.set(id, `${type} ${ours.trim()}`);
  },
  destroy(id) {
    timers.delete(id);
  },
});

/** Counts timers from here on, for as long as this process lives. */
export function countTimers(): void {
  hook.enable();
}

/** Takes stock; `directory` is where temporary files would lie. */
export function takeStock(directory: string): Stock {
  return {
    processes: descendants(process.pid).sort(),
    descriptors: countBy(descriptorKinds()),
    handles: countBy(
      process.getActiveResourcesInfo().filter((type) => type !== "Timeout" && type !== "Immediate"),
    ),
    timers: [...timers.values()].sort(),
    listeners: Object.fromEntries(
      process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    ),
    entries: readdirSync(directory).sort(),
  };
}

function descriptorKinds(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`).replace(/:\[\d+\]$/, "")];
    } catch {
      // The one that listed them.
      return [];
    }
  });
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
