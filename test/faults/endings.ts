/** What the outcomes of the fault matrix look like in a result. */
import { expect } from "vitest";
import type { Outcome } from "./matrix.ts";

/** Exit code and ending of a command, by outcome. */
export const ENDINGS: Partial<Record<Outcome, { exitCode: number; ending: object }>> = {
  "runs in a new worker": { exitCode: 0, ending: { kind: "exited" } },
  "unknown, SIGKILL": { exitCode: 137, ending: unknown(/exited \(SIGKILL\)/) },
  "unknown, exited": { exitCode: 126, ending: unknown(/exited \(code 0\)/) },
  "unknown, closed its output": { exitCode: 126, ending: unknown(/closed its output/) },
  "unknown, closed its input": { exitCode: 126, ending: unknown(/closed its input/) },
  "unknown for ever, protocol broken": { exitCode: 126, ending: unknown(/broke the protocol/) },
  "killed by deadline": { exitCode: 124, ending: { kind: "killed", by: "deadline" } },
  "killed by memory": { exitCode: 137, ending: { kind: "killed", by: "memory" } },
};

/** Code of the error of a file call, by outcome. */
export const REJECTIONS: Partial<Record<Outcome, string>> = {
  "rejects, worker exited": "WORKER_EXITED",
  "rejects, too late": "WORKER_START_TIMEOUT",
  "rejects for ever, protocol broken": "PROTOCOL_BROKEN",
};

/** An ending that nobody knows more of than this. */
export function unknown(why: RegExp): object {
  return { kind: "unknown", why: expect.stringMatching(why) };
}
