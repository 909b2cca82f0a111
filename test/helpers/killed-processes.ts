/** Processes that are killed at random and replaced, and what they said. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { root } from "../../build/paths.ts";
import type { StorePlace } from "./store-place.ts";

const WORKER = join(root, "test/fixtures/orchestration/worker.mjs");
const HOST = pathToFileURL(join(root, "dist/host.js")).href;

/** A line of a worker. */
export interface Said {
  readonly pid: number;
  readonly atMs: number;
  readonly [what: string]: unknown;
}

export interface CrowdOptions {
  readonly processes: number;
  /** Starts one, with its output to be read. */
  readonly start: () => ChildProcess;
  /** Decides who dies when: a worker after so many of its lines and a moment more. */
  readonly random: () => number;
  /** Looked at after each line; true ends it all. */
  readonly isOver: (said: readonly Said[], kills: number) => boolean;
}

/** Starts one worker. */
export function startWorker(job: string, place: StorePlace, leaseMs: number): ChildProcess {
  return startNode(WORKER, HOST, JSON.stringify(place), job, String(leaseMs));
}

/** Starts Node.js with pipes for its input and output and an empty environment. */
export function startNode(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env: {} });
}

/** Lines of a worker, as they come; resolves when it has ended and all is read. */
export async function listen<Line = Said>(child: ChildProcess, hear: (said: Line) => void): Promise<void> {
  if (child.stdout === null) throw new Error("no stdout");
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) hear(JSON.parse(line) as Line);
  await exited;
}

/** Runs a crowd until `isOver`; gives all that was said, in the order of time, and how many were killed before. */
export async function runCrowd(options: CrowdOptions): Promise<{ said: Said[]; kills: number }> {
  const { processes, start, random, isOver } = options;
  const said: Said[] = [];
  let kills = 0;
  let over = false;
  const running = new Set<ChildProcess>();
  onTestFinished(() => {
    // A test that ran out of time must leave nobody behind.
    over = true;
    for (const child of running) child.kill("SIGKILL");
  });
  const lane = async () => {
    while (!over) {
      const child = start();
      running.add(child);
      let linesLeft = 3 + Math.floor(random() * 25);
      await listen(child, (line) => {
        said.push(line);
        over ||= isOver(said, kills);
        if (over) for (const other of running) other.kill("SIGKILL");
        linesLeft -= 1;
        if (linesLeft === 0 && !over) {
          kills += 1;
          setTimeout(() => child.kill("SIGKILL"), random() * 8);
        }
      });
      running.delete(child);
      if (child.exitCode !== null) throw new Error(`a worker ended by itself with ${child.exitCode}`);
    }
  };
  await Promise.all(Array.from({ length: processes }, lane));
  return { said: said.sort((a, b) => a.atMs - b.atMs), kills };
}

/** Numbers from 0 to below 1 that are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
