import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty directory that is removed when the test is over. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), "harness-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
