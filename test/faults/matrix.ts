/**
 * The fault matrix as data: what goes wrong with a worker × what the sandbox is doing at that moment → how it must
 * end. `run-cell.ts` makes each cell happen with a real worker.
 */

/** `kill` and `stop` are SIGKILL and SIGSTOP from outside; the others are done by `fixtures/workers/sick.mjs`. */
export type Fault =
  | "kill"
  | "stop"
  | "memory"
  | "busy loop"
  | "torn frame, then its end"
  | "torn frame, then more"
  | "closed output"
  | "closed input"
  | "slow reader";

/** `starting`: before the worker's hello. `file …`: in the middle of 30 MB. `dispose`: in the same turn. */
export const PHASES = [
  "starting",
  "idle",
  "command",
  "output",
  "tool call",
  "file write",
  "file read",
  "dispose",
] as const;

export type Phase = (typeof PHASES)[number];

/** What the call that meets the fault must give; `idle`: the command that comes after it. */
export type Outcome =
  /** Exit code 0 with all that the script does: a new worker ran it, from the state of the last good command. */
  | "runs in a new worker"
  /** 137, `unknown`: nobody can tell whose SIGKILL it was. */
  | "unknown, SIGKILL"
  /** 126, `unknown`, although the worker left with code 0. */
  | "unknown, exited"
  /** 126, `unknown`. */
  | "unknown, closed its output"
  | "unknown, closed its input"
  /** 126, `unknown`, and the same for every later call: what broke the protocol once is not believed again. */
  | "unknown for ever, protocol broken"
  /** 124. */
  | "killed by deadline"
  /** 137. */
  | "killed by memory"
  /** `fs` rejects. */
  | "rejects, worker exited"
  | "rejects, too late"
  | "rejects for ever, protocol broken"
  /** Every byte, from the worker that is there or from a new one. */
  | "reads it all"
  /** As above; the worker then still has the fault, and the next command meets it as in `idle`. */
  | "reads it all, then as idle"
  /** `dispose` resolves in its bounds and tells no failure; later commands are refused. */
  | "disposed";

type Row = Readonly<Record<Phase, Outcome>>;

/** The same in all phases in which a command is under way, unless said otherwise. */
function row(open: Outcome, others: Partial<Row> & Pick<Row, "idle" | "file write" | "file read">): Row {
  return { starting: open, command: open, output: open, "tool call": open, dispose: "disposed", ...others };
}

export const MATRIX: Readonly<Record<Fault, Row>> = {
  kill: row("unknown, SIGKILL", {
    idle: "runs in a new worker",
    "file write": "rejects, worker exited",
    "file read": "reads it all",
  }),
  stop: row("killed by deadline", {
    idle: "killed by deadline",
    "file write": "rejects, too late",
    "file read": "rejects, too late",
  }),
  memory: row("killed by memory", {
    idle: "runs in a new worker",
    "file write": "rejects, worker exited",
    "file read": "reads it all",
  }),
  "busy loop": row("killed by deadline", {
    idle: "killed by deadline",
    "file write": "rejects, too late",
    "file read": "rejects, too late",
  }),
  "torn frame, then its end": row("unknown, exited", {
    idle: "runs in a new worker",
    "file write": "rejects, worker exited",
    "file read": "reads it all",
  }),
  "torn frame, then more": row("unknown for ever, protocol broken", {
    idle: "unknown for ever, protocol broken",
    // Nothing follows a torn frame while the script sleeps: the frame may still become whole.
    command: "killed by deadline",
    "file write": "rejects for ever, protocol broken",
    "file read": "rejects for ever, protocol broken",
  }),
  "closed output": row("unknown, closed its output", {
    idle: "unknown, closed its output",
    "file write": "rejects, worker exited",
    "file read": "reads it all",
  }),
  "closed input": row("killed by deadline", {
    // The command cannot have arrived: it is sent again.
    idle: "runs in a new worker",
    // The answer meets the closed pipe.
    "tool call": "unknown, closed its input",
    "file write": "rejects, worker exited",
    "file read": "reads it all, then as idle",
  }),
  "slow reader": row("killed by deadline", {
    idle: "killed by deadline",
    "file write": "rejects, too late",
    "file read": "reads it all, then as idle",
  }),
};
