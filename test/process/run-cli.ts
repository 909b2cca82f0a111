import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export interface CliRun {
  code: number | null;
  stdout: Buffer;
  stderr: string;
}

/** Starts the built command line; standard input is empty unless the caller writes to it. */
export function startCli(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string | undefined> } = {},
): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Runs it to its end. */
export async function runCli(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string | undefined>; stdin?: string | Uint8Array } = {},
): Promise<CliRun> {
  const child = startCli(args, options);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
  // A usage error leaves before it reads: the broken pipe is the expected end of this write.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(options.stdin ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() };
}
