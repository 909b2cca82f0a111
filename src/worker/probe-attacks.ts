/** The attempts of the self-probe that need more than one call. Each resolves when it gets through. */
import { Worker } from "node:worker_threads";

const TIMEOUT_MS = 1_000;

/** Starts a program: this Node.js, since a jail holds no other. */
export async function runProgram(): Promise<void> {
  const { spawnSync } = await import("node:child_process");
  const { error } = spawnSync(process.execPath, ["--version"], { timeout: TIMEOUT_MS });
  if (error !== undefined) throw error;
}

/** Starts a thread that would have neither the permission model nor the lockdown. */
export async function runThread(): Promise<void> {
  const thread = new Worker("0", { eval: true, execArgv: [], env: {} });
  await new Promise((resolve, reject) => {
    thread.once("exit", resolve);
    thread.once("error", reject);
  });
}

/** Connects to a port of this machine. */
export async function connectTo(port: number): Promise<void> {
  const { connect } = await import("node:net");
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await new Promise((resolve, reject) => {
      socket.setTimeout(TIMEOUT_MS, () => reject(new Error("ETIMEDOUT")));
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
  } finally {
    socket.destroy();
  }
}
