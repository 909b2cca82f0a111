/** What a script that reached a trip wire says besides, where nothing is higher: its result and its event say the same. */
import type { CommandEndFields } from "../shared/events.ts";
import type { ExecEnding } from "../shared/executor.ts";
import type { ExecResult } from "../shared/sandbox.ts";
import { Listener } from "../shell/listener.ts";

/** What follows the line of a trip wire, which does not know whether there is more than its own tier. */
export const NOTHING_HIGHER =
  "little-harness: this sandbox has no higher tier: that command is refused each time; do without it\n";

/** Whether a sandbox of tier 0 ended a script at a trip wire: nothing else there refuses by tier. */
export function isTripped(ending: ExecEnding): boolean {
  return ending.kind === "refused" && ending.by === "tier";
}

export function resultWithLine(
  result: ExecResult,
  line: string,
  onStderr: ((chunk: Uint8Array) => void) | undefined,
): ExecResult {
  const bytes = Buffer.from(line);
  new Listener(onStderr).tell(new Uint8Array(bytes));
  const stderrBytes = new Uint8Array(Buffer.concat([result.stderrBytes, bytes]));
  return { ...result, stderr: result.stderr + line, stderrBytes };
}

/** The fields of the event that the line changes. */
export function fieldsWithLine(
  { stderr, stderrBytes }: CommandEndFields,
  line: string,
): Partial<CommandEndFields> {
  return {
    stderrBytes: stderrBytes + Buffer.byteLength(line),
    ...(stderr !== undefined && { stderr: stderr + line }),
  };
}
