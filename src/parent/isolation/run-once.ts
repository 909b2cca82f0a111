/** Milliseconds that a question to a program may take. */
const TIMEOUT_MS = 10_000;

/** Milliseconds for the last bytes of a program that was ended. */
const DRAIN_MS = 200;

/** What a short program said. */
export interface Answer {
  readonly ok: boolean;
  readonly stdout: string;
  /** Why it failed, in one line; empty when it did not. */
  readonly why: string;
}

/** Runs a program to its end, with an empty environment. Never rejects, and ends soon after `timeoutMs`. */
export async function runOnce(
  command: string,
  args: readonly string[],
  inputs: readonly Uint8Array[] = [],
  timeoutMs = TIMEOUT_MS,
): Promise<Answer> {
  // Loaded when something is asked: a worker is started without it.
  const { execa } = await import("execa");
  const child = execa(command, args, {
    env: {},
    extendEnv: false,
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe", "ignore", ...inputs.map((input): [Uint8Array] => [input])],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    reject: false,
    maxBuffer: 1024 * 1024,
  });
  // What the program has started may hold the other ends of the pipes for ever.
  const late = setTimeout(() => {
    child.stdout.destroy();
    child.stderr.destroy();
  }, timeoutMs + DRAIN_MS);
  const result = await child.finally(() => clearTimeout(late));
  const said = result.stderr.trim().split("\n").at(-1) ?? "";
  const why = result.failed ? said || result.shortMessage || "it failed" : "";
  return { ok: !result.failed, stdout: result.stdout, why };
}
