/** The host of a hostile worker: how it is opened, and what must be true of the host whatever the worker does. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import {
  type HarnessEvent,
  type HarnessSandbox,
  type OpenSandboxOptions,
  openSandbox,
} from "../../src/index.ts";
import { openForTest } from "../helpers/open.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { type Scenario, toProgram, writeWorker } from "./scenario.ts";

/** Nothing here waits longer: what has no ending of its own meets one of these. */
const LIMITS = { timeoutMs: 8_000, startTimeoutMs: 8_000, graceMs: 100 };

/** A sandbox whose worker plays a scenario. */
export interface Hostile {
  sandbox: HarnessSandbox;
  events: HarnessEvent[];
  /** Ids of the processes that run the scenario's program. */
  pids(): number[];
  /** How many times it was started. */
  starts(): number;
}

export async function openHostile<A extends readonly unknown[]>(
  scenario: Scenario<A>,
  args: A,
  options: Partial<OpenSandboxOptions> = {},
): Promise<Hostile> {
  return await openProgram(toProgram(scenario, ...args), options);
}

/** As `openHostile`, for a program that is no scenario. */
export async function openProgram(
  program: string,
  options: Partial<OpenSandboxOptions> = {},
): Promise<Hostile> {
  const workerPath = writeWorker(program);
  const { sandbox, events } = await openForTest({
    // Not tracked: no walk of files keeps a command from joining the start that was prepared for it.
    mounts: { "/w": { path: tempDir(), tracked: false } },
    ...options,
    workerPath,
    limits: { ...LIMITS, ...options.limits },
  });
  return { sandbox, events, pids: () => processesOf(workerPath), starts: () => startsOf(workerPath) };
}

/** Nothing of the sandbox is left once it is disposed of. */
export async function expectGone({ sandbox, pids }: Hostile): Promise<void> {
  await sandbox.dispose();
  expect(pids()).toEqual([]);
}

/** The sandbox is over for good: every call tells the one reason, and dispose leaves nothing behind. */
export async function expectDead(hostile: Hostile, code: string, why: string): Promise<void> {
  const { sandbox } = hostile;
  expect(await sandbox.exec("true")).toMatchObject({ exitCode: 126, ending: { kind: "unknown", why } });
  await expect(sandbox.fs.readFile("/w/a")).rejects.toMatchObject({ code, message: why });
  await expectGone(hostile);
}

/**
 * Registers what holds for every test of a file: the host has no unhandled error, and another sandbox of the
 * same host has the same shell before and after.
 */
export function watchHost(): void {
  const faults: unknown[] = [];
  const onFault = (fault: unknown): void => void faults.push(fault);
  let neighbour: HarnessSandbox | undefined;
  let turn = 0;
  beforeAll(async () => {
    process.on("unhandledRejection", onFault).on("uncaughtException", onFault);
    const tree = { path: import.meta.dirname, access: "ro" } as const;
    neighbour = await openSandbox({ mounts: { "/tree": tree }, sandbox: "subprocess" });
    await neighbour.exec("turn=0; next() { turn=$((turn + 1)); echo $turn; }");
  });
  afterEach(async () => {
    turn += 1;
    expect(await neighbour?.exec("next")).toMatchObject({ stdout: `${turn}\n`, stateRestored: true });
    expect(faults).toEqual([]);
  });
  afterAll(async () => {
    process.off("unhandledRejection", onFault).off("uncaughtException", onFault);
    await neighbour?.dispose();
  });
}

/** Runs something and tells by how many MB the resident size of this process went up at most meanwhile. */
export async function growthOf(run: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 10);
  try {
    await run();
  } finally {
    clearInterval(timer);
  }
  look();
  return (peak - before) / 1e6;
}

function startsOf(program: string): number {
  const starts = join(dirname(program), "starts");
  return existsSync(starts) ? readFileSync(starts).length : 0;
}

function processesOf(program: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLine(pid).includes(program))
    .map(Number);
}

/** Empty for a process that is gone, also one that nobody has waited for yet. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    // Gone between the listing and the look.
    return "";
  }
}
