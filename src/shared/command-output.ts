/** What every executor makes of a command's output and its end, so that the same command reads the same in each. */
import { BoundedBytes } from "./bounded-bytes.ts";
import { isSandboxError } from "./errors.ts";
import type { ExecEnding, ExecuteInput, ExecuteOutput } from "./executor.ts";

/** The two streams of one command: passed on as they come, kept up to a cap. */
export class CommandOutput {
  readonly #input: Pick<ExecuteInput, "onStdout" | "onStderr">;
  readonly #kept: Readonly<Record<"stdout" | "stderr", BoundedBytes>>;

  constructor(input: Pick<ExecuteInput, "onStdout" | "onStderr">, maxOutputBytes: number) {
    this.#input = input;
    this.#kept = { stdout: new BoundedBytes(maxOutputBytes), stderr: new BoundedBytes(maxOutputBytes) };
  }

  /** Bytes of the stream so far, with these. */
  push(stream: "stdout" | "stderr", bytes: Uint8Array): number {
    this.#kept[stream].push(bytes);
    if (stream === "stdout") this.#input.onStdout(bytes);
    else this.#input.onStderr(bytes);
    return this.#kept[stream].totalBytes;
  }

  /** Adds a line of ours to what is kept of stderr. */
  note(line: string): void {
    this.#kept.stderr.push(new TextEncoder().encode(`${line}\n`));
  }

  /** What was kept, as a result carries it. */
  take(): Required<Pick<ExecuteOutput, "stdout" | "stderr" | "truncated">> {
    const stdout = this.#kept.stdout.take();
    const stderr = this.#kept.stderr.take();
    return {
      stdout: stdout.bytes,
      stderr: stderr.bytes,
      truncated: {
        ...(stdout.truncated === null ? {} : { stdout: stdout.truncated }),
        ...(stderr.truncated === null ? {} : { stderr: stderr.truncated }),
      },
    };
  }
}

/** The exit code of a command that did not exit by itself. */
export function exitCodeOf(ending: Exclude<ExecEnding, { kind: "exited" }>): number {
  if (ending.kind !== "killed") return 126;
  return ending.by === "deadline" ? 124 : 137;
}

/** Who aborted the signal of a command: its caller, or the end of the sandbox. */
export function abortedBy(signal: AbortSignal): "abort" | "dispose" {
  return isSandboxError(signal.reason) && signal.reason.code === "SANDBOX_DISPOSED" ? "dispose" : "abort";
}

/** A command of which nothing was run, and why. */
export function refused(by: "limit" | "policy", why: string): ExecuteOutput {
  return { exitCode: 126, ending: { kind: "refused", by }, stdout: "", stderr: `little-harness: ${why}\n` };
}

/** The refusal of a script that is larger than it may be; `null` for one that is not. */
export function refuseLargeScript(scriptBytes: number, maxScriptBytes: number): ExecuteOutput | null {
  if (scriptBytes <= maxScriptBytes) return null;
  const why = `the script has ${scriptBytes} bytes; at most ${maxScriptBytes} (maxScriptBytes) are taken`;
  return refused("limit", why);
}
