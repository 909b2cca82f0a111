import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** An empty directory that is removed when the test is over. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), "harness-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** An empty directory that is removed when all tests of the file are over. */
export function tempDirForFile(): string {
  const path = mkdtempSync(join(tmpdir(), "harness-test-"));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
