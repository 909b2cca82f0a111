/** Makes the compiled form of the worker's code in the background, after the first worker that had none has started. */
import { setPriority } from "node:os";
import { type CodeCache, saveCodeCache } from "./code-cache.ts";
import { spawnWorker } from "./spawn-worker.ts";

/** Milliseconds after the first worker: its first command needs the processor itself. */
const DELAY_MS = 500;
const TIMEOUT_MS = 30_000;
const LOWEST_PRIORITY = 19;

const begun = new Set<string>();

/** Neither waits nor fails; `onFailed` hears why there will be none. Does not keep the host alive. */
export function makeCodeCacheSoon(cache: CodeCache, onFailed: (why: string) => void): void {
  if (begun.has(cache.file)) return;
  begun.add(cache.file);
  setTimeout(() => {
    makeCodeCache(cache).catch((error: unknown) => {
      onFailed(`No compile cache: ${error instanceof Error ? error.message : String(error)}\n`);
    });
  }, DELAY_MS).unref();
}

/** Rejects when it cannot be made or kept. */
export async function makeCodeCache(cache: CodeCache): Promise<void> {
  let said = "";
  const maker = await spawnWorker({
    launch: cache.maker,
    onStderr: (text) => {
      said += text;
    },
  });
  maker.hold(false);
  const late = setTimeout(() => maker.kill("SIGKILL"), TIMEOUT_MS);
  late.unref();
  try {
    setPriority(maker.pid, LOWEST_PRIORITY);
  } catch {
    // It has ended, or may not be slowed down here.
  }
  const parts: Uint8Array[] = [];
  maker.stdout.on("data", (bytes: Uint8Array) => parts.push(bytes)).resume();
  const { code, signal } = await maker.exit;
  clearTimeout(late);
  if (code !== 0) throw new Error(`its maker ended with ${code ?? signal}: ${said.trim()}`);
  saveCodeCache(cache, Buffer.concat(parts));
}
