/** What rows are compared with: processes that do as little as possible. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

export type BareNode = ChildProcessByStdio<Writable, Readable, null>;

/** Node.js that says one byte, then sends back what it gets until its stdin ends; resolves at that byte. */
export async function startBareNode(): Promise<BareNode> {
  const script = 'process.stdout.write("1"); process.stdin.pipe(process.stdout)';
  const child = spawn(process.execPath, ["-e", script], { env: {}, stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

/** One byte there and back. */
export async function askBareNode(child: BareNode): Promise<void> {
  const answered = once(child.stdout, "data");
  child.stdin.write("1");
  await answered;
}

/** Resolves when the process is gone. */
export async function stopBareNode(child: BareNode): Promise<void> {
  const gone = once(child, "exit");
  child.stdin.end();
  await gone;
}

/** `cat` of a file through a plain pipe; resolves to the bytes that came. */
export async function catThroughPipe(file: string, onBytes: () => void): Promise<number> {
  const child = spawn("cat", [file], { stdio: ["ignore", "pipe", "inherit"] });
  let totalBytes = 0;
  child.stdout.on("data", (bytes: Uint8Array) => {
    totalBytes += bytes.length;
    onBytes();
  });
  await once(child, "close");
  return totalBytes;
}
