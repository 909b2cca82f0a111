import { execa } from "execa";

/** Milliseconds that a question to a program may take. */
const TIMEOUT_MS = 10_000;

/** What a short program said. */
export interface Answer {
  readonly ok: boolean;
  readonly stdout: string;
  /** Why it failed, in one line; empty when it did not. */
  readonly why: string;
}

/** Runs a program to its end, with an empty environment. Never rejects. */
export async function runOnce(
  command: string,
  args: readonly string[],
  inputs: readonly Uint8Array[] = [],
): Promise<Answer> {
  const result = await execa(command, args, {
    env: {},
    extendEnv: false,
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe", "ignore", ...inputs.map((input): [Uint8Array] => [input])],
    timeout: TIMEOUT_MS,
    reject: false,
    maxBuffer: 1024 * 1024,
  });
  const said = result.stderr.trim().split("\n").at(-1) ?? "";
  const why = result.failed ? said || result.shortMessage || "it failed" : "";
  return { ok: !result.failed, stdout: result.stdout, why };
}
