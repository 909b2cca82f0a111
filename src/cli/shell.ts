/**
 * `little-harness shell`: a prompt over one sandbox that lasts as long as the shell. Everything that a guest can put
 * into a name or an output passes `shell/visible-text.ts` on its way to a terminal.
 */
import { openOutput } from "./output.ts";
import type { ShellInvocation } from "./parse-shell.ts";
import { type ShellEnds, ShellLoop } from "./shell/shell-loop.ts";
import { toVisible, toVisibleJson } from "./shell/visible-text.ts";

/** As for `exec`: the tool failed, not a script. */
const SANDBOX_FAILED = 125;
/** 128 + the number of the signal, as shells report it. */
const EXIT_BY_SIGNAL = { SIGTERM: 143, SIGHUP: 129, SIGPIPE: 141 } as const;

/** Runs it to its end and returns the exit code. */
export async function runShell(invocation: ShellInvocation, ends: ShellEnds = process): Promise<number> {
  const leaving = new AbortController();
  const leave = (signal: keyof typeof EXIT_BY_SIGNAL): void => leaving.abort(EXIT_BY_SIGNAL[signal]);
  const stdout = openOutput(ends.stdout, () => leave("SIGPIPE"));
  const stderr = openOutput(ends.stderr, () => leave("SIGPIPE"));
  const onTerm = (): void => leave("SIGTERM");
  const onHangup = (): void => leave("SIGHUP");
  ends.on("SIGTERM", onTerm);
  ends.on("SIGHUP", onHangup);
  try {
    const { openShell } = await import("./shell/open-shell.ts");
    const shell = await openShell(invocation, (event) => {
      if (invocation.events) stderr.write(`${toVisibleJson(event)}\n`);
    });
    let failure: string | undefined;
    try {
      const loop = new ShellLoop(invocation, shell, ends, { stdout, stderr }, leaving.signal);
      return await loop.run();
    } catch (error) {
      failure = messageOf(error);
      throw error;
    } finally {
      await shell.close(failure);
    }
  } catch (error) {
    stderr.write(`little-harness: ${toVisible(messageOf(error))}\n`);
    return SANDBOX_FAILED;
  } finally {
    ends.off("SIGTERM", onTerm);
    ends.off("SIGHUP", onHangup);
    await Promise.all([stdout.flushed(), stderr.flushed()]);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
