import type { ExecResult } from "../shared/sandbox.ts";

/** Why a command did not exit by itself, which an exit code alone does not say; `undefined` when it did. */
export function endingText({ ending, durationMs }: ExecResult): string | undefined {
  if (ending.kind === "killed") return `killed by ${ending.by} after ${Math.round(durationMs)} ms`;
  if (ending.kind === "refused") return `refused by ${ending.by}`;
  return ending.kind === "unknown" ? `nobody knows how it ended: ${ending.why}` : undefined;
}
