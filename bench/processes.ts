/** Child processes of this one and what they weigh, as Linux tells it. */
import { readdirSync, readFileSync } from "node:fs";

/** Process ids of all living descendants that run Node.js. */
export function nodeDescendants(): number[] {
  const children = new Map<number, { pid: number; name: string }[]>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    // The name stands in parentheses and may hold anything: what follows it starts at the last one.
    const [, name = "", parent = ""] = /^\d+ \((.*)\) \S+ (\d+) /s.exec(statOf(entry)) ?? [];
    const siblings = children.get(Number(parent)) ?? [];
    siblings.push({ pid: Number(entry), name });
    children.set(Number(parent), siblings);
  }
  const found: number[] = [];
  const pending = [process.pid];
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    for (const { pid, name } of children.get(parent) ?? []) {
      if (name === "node" || name === "MainThread") found.push(pid);
      pending.push(pid);
    }
  }
  return found;
}

/** Proportional set size in MB: pages that several processes share count in parts. */
export function pssMb(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
  return Number(/^Pss: +(\d+) kB/m.exec(rollup)?.[1]) / 1024;
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    // Gone since the directory was listed.
    return "";
  }
}
