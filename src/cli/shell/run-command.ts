/** One script from the prompt: its output as it comes, and how it ended. */
import type { ExecResult, HarnessSandbox } from "../../shared/sandbox.ts";
import { EXIT_BY_SIGNAL } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import { TerminalFilter } from "../visible-text.ts";

/** Where a stream of commands goes. */
export interface CommandStream {
  readonly output: Output;
  /** Whether control characters are shown and not obeyed. */
  readonly isFiltered: boolean;
}

/** What became of it. */
export interface CommandOutcome {
  readonly status: number;
  readonly result: ExecResult;
  /** Whether the last byte that was written to either stream ended a line. */
  readonly endsLine: boolean;
}

export interface CommandParts {
  readonly sandbox: HarnessSandbox;
  readonly stdout: CommandStream;
  readonly stderr: CommandStream;
  readonly timeoutMs: number | undefined;
  readonly maxOutputBytes: number | undefined;
}

/** @param status of the command before; what `$?` is */
export async function runCommand(
  script: string,
  status: number,
  signal: AbortSignal,
  { sandbox, stdout, stderr, timeoutMs, maxOutputBytes }: CommandParts,
): Promise<CommandOutcome> {
  let endsLine = true;
  const streams = [stdout, stderr].map(({ output, isFiltered }) => {
    const filter = isFiltered ? new TerminalFilter() : undefined;
    const write = (text: string | Uint8Array): void => {
      if (text.length === 0) return;
      endsLine = text.at(-1) === "\n" || text.at(-1) === 10;
      output.write(text);
    };
    return {
      onChunk: (chunk: Uint8Array) => write(filter === undefined ? chunk : filter.write(chunk)),
      end: () => {
        const { rest, reset } = filter?.end() ?? { rest: "", reset: "" };
        write(rest);
        output.write(reset);
      },
    };
  });
  const result = await sandbox.exec(withStatus(script, status), {
    signal,
    timeoutMs,
    maxOutputBytes,
    onStdout: streams[0]?.onChunk,
    onStderr: streams[1]?.onChunk,
  });
  for (const { end } of streams) end();
  return { result, endsLine, status: wasAborted(result) ? EXIT_BY_SIGNAL.SIGINT : result.exitCode };
}

/** Whether it was the signal that ended the command. */
export function wasAborted({ ending }: ExecResult): boolean {
  return ending.kind === "killed" && ending.by === "abort";
}

/** Each script of a sandbox begins with status 0; one that asks for the status before is given it. */
function withStatus(script: string, status: number): string {
  return status !== 0 && /\$(?:\?|\{[#!]?\?)/.test(script) ? `(exit ${status}); ${script}` : script;
}
