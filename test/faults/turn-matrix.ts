/**
 * The turn matrix as data: what goes wrong in a turn × the host's mode → how the turn must end. `run-turn-cell.ts`
 * makes each cell happen with a real host, a real sandbox and a scripted model.
 */

/** What goes wrong. The sandbox has been used before it does, but for `factory error`. */
export const ROWS = [
  "success",
  "model error",
  "tool error",
  "abort",
  "deadline",
  "dispose error",
  "factory error",
  "child killed",
] as const;

export type Row = (typeof ROWS)[number];

export const MODES = ["auto", "subprocess", "just-bash", "tiered"] as const;

export type Mode = (typeof MODES)[number];

/** What must come of it, whatever the mode. */
export interface TurnEnd {
  /** `finishReason` of the result, or the code that the call rejects with. */
  readonly gives: { readonly finishReason: string } | { readonly code: string };
  readonly status: "completed" | "failed" | "aborted";
  /** Whether `harness.runtime.dispose.failed` is due: exactly once, or not at all. */
  readonly disposeFails: boolean;
  /** Endings of the commands that did not exit by themselves. */
  readonly endings: readonly object[];
}

const STOPPED = { gives: { finishReason: "stop" }, status: "completed", disposeFails: false } as const;

export const ENDS: Readonly<Record<Row, TurnEnd>> = {
  success: { ...STOPPED, endings: [] },
  "model error": { gives: { code: "MODEL_FAILED" }, status: "failed", disposeFails: false, endings: [] },
  // An answer to the model.
  "tool error": { ...STOPPED, endings: [] },
  abort: {
    gives: { finishReason: "aborted" },
    status: "aborted",
    disposeFails: false,
    endings: [{ kind: "killed", by: "abort" }],
  },
  // Of a command: an answer to the model.
  deadline: { ...STOPPED, endings: [{ kind: "killed", by: "deadline" }] },
  "dispose error": { ...STOPPED, disposeFails: true, endings: [] },
  "factory error": {
    gives: { code: "SANDBOX_UNAVAILABLE" },
    status: "failed",
    disposeFails: false,
    endings: [],
  },
  // An answer to the model; the next command has a new child.
  "child killed": { ...STOPPED, endings: [{ kind: "unknown" }] },
};
