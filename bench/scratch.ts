import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Calls `work` with a directory of its own, which is removed afterwards. */
export async function withDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "little-harness-bench-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** `count` files of some 40 bytes, at most 100 in a directory. */
export function fillWithFiles(directory: string, count: number): void {
  for (let index = 0; index < count; index++) {
    const folder = join(directory, `d${Math.floor(index / 100)}`);
    if (index % 100 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${index % 100}.txt`), `file ${index} of a tree that is tracked\n`);
  }
}
