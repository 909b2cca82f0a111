/**
 * `little-harness shell`: a prompt over one sandbox that lasts as long as the shell. Everything that a guest can put
 * into a name or an output passes `visible-text.ts` on its way to a terminal.
 */
import { EXIT_BY_SIGNAL, SANDBOX_FAILED } from "./exit-codes.ts";
import { messageOf } from "./message-of.ts";
import { openOutput } from "./output.ts";
import type { ShellInvocation } from "./parse-shell.ts";
import { type ShellEnds, ShellLoop } from "./shell/shell-loop.ts";
import { toVisible, toVisibleJson } from "./visible-text.ts";

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
