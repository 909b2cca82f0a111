import type { ExecResult } from "../shared/sandbox.ts";

/** What `--json` prints: the result as JSON. Bytes that are no UTF-8 text are there a second time, as base64. */
export function toJsonResult(result: ExecResult): Record<string, unknown> {
  return {
    exitCode: result.exitCode,
    ending: result.ending,
    durationMs: Math.round(result.durationMs),
    stdout: result.stdout,
    ...lossless("stdoutBase64", result.stdoutBytes),
    stderr: result.stderr,
    ...lossless("stderrBase64", result.stderrBytes),
    truncated: result.truncated,
    changes: result.changes,
    stateRestored: result.stateRestored,
  };
}

function lossless(name: string, bytes: Uint8Array): Record<string, string> {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return {};
  } catch {
    return { [name]: Buffer.from(bytes).toString("base64") }; // not UTF-8: the text has lost something
  }
}
