/** From tier 0 into a sandbox of a higher tier: opened in time, its shell where that of tier 0 was, and alive. */
import type { CreateSandboxOptions, ExecResult, HarnessSandboxFactory } from "../shared/sandbox.ts";
import { waitAtMost } from "../shell/bounded-wait.ts";
import { type HandedState, STATE_SCRIPT, toHandedState } from "../shell/handed-state.ts";
import { Tier } from "./tier.ts";
import type { SharedEvents } from "./tier-events.ts";

/** What the first command above has to know. */
export interface Arrival {
  /** Whether cwd and variables are those that tier 0 had. */
  readonly isComplete: boolean;
  /** Set when the directory is not there above. */
  readonly lostCwd: boolean;
}

/** For each of our own commands; a shell that needs longer is none to go on with. */
const STATE_TIMEOUT_MS = 10_000;
const MAX_STATE_BYTES = 64 * 1024 * 1024;

/** Rejects when the sandbox is not there in time; one that comes later is disposed of. */
export async function openInTime(
  factory: HarnessSandboxFactory,
  create: CreateSandboxOptions,
  shared: SharedEvents,
  timeoutMs: number,
): Promise<Tier> {
  const opening = Tier.open(1, factory, create, shared);
  const opened = await waitAtMost(opening, timeoutMs);
  if (opened.inTime) return opened.value;
  void opening.then(
    (late) => late.dispose(),
    () => undefined, // it failed late: nobody waits for it
  );
  throw new Error(`it was not there after ${timeoutMs} ms`);
}

/** Rejects when the shell above does not run a first command: then nothing has changed in tier 0. */
export async function handOver(from: Tier, to: Tier): Promise<Arrival> {
  const state = from.hasRun ? await readState(from) : undefined;
  const result = await runHidden(to, state?.script ?? ":");
  if (result === null || result.ending.kind !== "exited") {
    const said = result?.stderr.trim().split("\n").at(-1) ?? "";
    throw new Error(said === "" ? "its shell runs no command" : said);
  }
  const isComplete = state === undefined || (state?.isComplete === true && result.stderr === "");
  await from.dispose();
  return { isComplete: isComplete && result.exitCode === 0, lostCwd: result.exitCode !== 0 };
}

/** `null`: it cannot be read, and the shell above starts afresh. */
async function readState(tier: Tier): Promise<HandedState | null> {
  const result = await runHidden(tier, STATE_SCRIPT);
  const isWhole = result?.ending.kind === "exited" && result.truncated.stdout === undefined;
  return isWhole ? toHandedState(result.stdout) : null;
}

async function runHidden(tier: Tier, script: string): Promise<ExecResult | null> {
  try {
    const running = tier.execHidden(script, { timeoutMs: STATE_TIMEOUT_MS, maxOutputBytes: MAX_STATE_BYTES });
    const ran = await waitAtMost(running, STATE_TIMEOUT_MS * 2);
    return ran.inTime ? ran.value : null;
  } catch {
    // A sandbox must not reject; one that does is as good as none.
    return null;
  }
}
