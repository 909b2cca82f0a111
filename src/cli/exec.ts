/**
 * `little-harness exec`: one script in one sandbox. Output goes out as it comes, byte for byte; the exit code is
 * the script's own. What ends the command from outside (Ctrl-C, a reader that left) aborts it and is told apart
 * from the script's own failure by the exit code.
 */
import type { ExecResult, HarnessSandbox } from "../shared/sandbox.ts";
import { endingText } from "./ending-text.ts";
import { EXIT_BY_SIGNAL, SANDBOX_FAILED } from "./exit-codes.ts";
import { toJsonResult } from "./json-result.ts";
import { messageOf } from "./message-of.ts";
import { openForExec } from "./open-for-exec.ts";
import { type Output, openOutput } from "./output.ts";
import type { ExecInvocation } from "./parse-args.ts";
import { readPipedStdin, readScript } from "./read-input.ts";

/** Runs it and returns the exit code. Throws `UsageError` when there is no script. */
export async function runExec(invocation: ExecInvocation): Promise<number> {
  const script = await readScript(invocation.script);
  const stdin =
    invocation.passStdin && invocation.script.from !== "stdin" ? await readPipedStdin() : undefined;

  const stop = stopper();
  const stdout = openOutput(process.stdout, () => stop.by("SIGPIPE"));
  const stderr = openOutput(process.stderr, () => stop.by("SIGPIPE"));
  let opened: Awaited<ReturnType<typeof openForExec>> | undefined;
  try {
    opened = await openForExec(invocation, (event) => {
      if (invocation.events) stderr.write(`${JSON.stringify(event)}\n`);
    });
    const result = await run(opened.sandbox, invocation, script, stdin, stop.signal, stdout, stderr);
    if (invocation.json) stdout.write(`${JSON.stringify(toJsonResult(result))}\n`);
    else {
      const why = endingText(result);
      if (why !== undefined) stderr.write(`little-harness: ${why}\n`);
    }
    return stop.exitCode() ?? result.exitCode;
  } catch (error) {
    const { code, message } = toFailure(error);
    if (invocation.json) stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
    else stderr.write(`little-harness: ${message}\n`);
    return stop.exitCode() ?? SANDBOX_FAILED;
  } finally {
    await opened?.close();
    stop.release();
    await Promise.all([stdout.flushed(), stderr.flushed()]);
  }
}

function run(
  sandbox: HarnessSandbox,
  invocation: ExecInvocation,
  script: string,
  stdin: Uint8Array | undefined,
  signal: AbortSignal,
  stdout: Output,
  stderr: Output,
): Promise<ExecResult> {
  return sandbox.exec(script, {
    args: invocation.args,
    env: invocation.env,
    signal,
    stdin,
    timeoutMs: invocation.timeoutMs,
    maxOutputBytes: invocation.maxOutputBytes,
    onStdout: invocation.json ? undefined : (chunk) => stdout.write(chunk),
    onStderr: invocation.json ? undefined : (chunk) => stderr.write(chunk),
  });
}

/** The signals that end the command; the second Ctrl-C ends this process at once. */
function stopper() {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const by = (signal: keyof typeof EXIT_BY_SIGNAL): void => {
    exitCode ??= EXIT_BY_SIGNAL[signal];
    controller.abort();
  };
  const onSignal = (signal: "SIGINT" | "SIGTERM"): void => {
    if (controller.signal.aborted) process.exit(EXIT_BY_SIGNAL[signal]);
    by(signal);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    by,
    signal: controller.signal,
    exitCode: () => exitCode,
    release: () => {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}

function toFailure(error: unknown): { code: string; message: string } {
  const message = messageOf(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "UNKNOWN";
  return { code, message };
}
