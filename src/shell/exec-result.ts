/** What an executor reported, or what kept it from reporting → an `ExecResult` without its changes. */
import { asciiText } from "../shared/ascii-text.ts";
import type { ExecEnding, ExecuteOutput } from "../shared/executor.ts";
import type { ExecResult } from "../shared/sandbox.ts";

/** A result before the file changes are known. */
export type BareResult = Omit<ExecResult, "changes" | "durationMs">;

/** A result for a command that has no report of its own. */
export function withoutReport(exitCode: number, ending: ExecEnding, message: string): BareResult {
  return fromReport({ exitCode, stdout: "", stderr: message === "" ? "" : `harness: ${message}\n`, ending });
}

/** Checks the report of an executor: one that breaks its port gives a result with an unknown ending. */
export function fromReport(report: ExecuteOutput): BareResult {
  const problem = problemOf(report);
  if (problem !== undefined) {
    const why = `the executor's report is broken: ${problem}`;
    return withoutReport(126, { kind: "unknown", why }, why);
  }
  const stdout = toBoth(report.stdout);
  const stderr = toBoth(report.stderr);
  return {
    exitCode: report.exitCode,
    stdout: stdout.text,
    stderr: stderr.text,
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
    ending: report.ending ?? { kind: "exited" },
    truncated: { ...report.truncated },
    stateRestored: report.stateRestored ?? true,
  };
}

function problemOf(report: unknown): string | undefined {
  if (typeof report !== "object" || report === null) return "expected an object";
  const { exitCode, stdout, stderr, ending } = report as Record<string, unknown>;
  if (!Number.isInteger(exitCode)) return "exitCode is no whole number";
  for (const [name, stream] of Object.entries({ stdout, stderr })) {
    if (typeof stream !== "string" && !(stream instanceof Uint8Array))
      return `${name} is no string and no bytes`;
  }
  if (ending === undefined) return undefined;
  const kind = (ending as { kind?: unknown } | null)?.kind;
  return kind === "exited" || kind === "killed" || kind === "refused" || kind === "unknown"
    ? undefined
    : "ending has no known kind";
}

function toBoth(stream: string | Uint8Array): { text: string; bytes: Uint8Array } {
  if (typeof stream === "string") return { text: stream, bytes: new TextEncoder().encode(stream) };
  // With the byte order mark kept: the text says what the bytes say.
  const text = asciiText(stream) ?? new TextDecoder("utf-8", { ignoreBOM: true }).decode(stream);
  return { text, bytes: stream };
}
