/** What belongs to one script while it runs: its background jobs and the signals on their way. */
import type { InterpreterState } from "./interpreter.ts";
import type { Job } from "./jobs.ts";

export interface Control {
  readonly jobs: Job[];
  nextSerial: number;
  /** Signals that were sent to a shell and not taken up yet, by its pid. */
  readonly pending: Map<number, string[]>;
  /** Called when a signal was sent: ends a `wait`. */
  readonly wakers: Set<() => void>;
  /** A job was refused because there were too many: the script has not done what it says, whatever it ends with. */
  cannotFork: boolean;
}

/** The control of this script, made by the first that needs it. */
export function controlOf(state: InterpreterState): Control {
  state.control ??= { jobs: [], nextSerial: 0, pending: new Map(), wakers: new Set(), cannotFork: false };
  return state.control;
}

export function send(control: Control, pid: number, signal: string): void {
  const waiting = control.pending.get(pid);
  if (waiting === undefined) control.pending.set(pid, [signal]);
  else waiting.push(signal);
  for (const wake of [...control.wakers]) wake();
}
