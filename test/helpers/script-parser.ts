/** The parser that `dist/worker/parse-script.cjs` holds, built from these sources. */
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleParser } from "../../build/bundle-worker.ts";
import type { ScriptParser } from "../../src/engine/parse-script.ts";

export async function buildParser(): Promise<ScriptParser> {
  const folder = mkdtempSync(join(tmpdir(), "harness-test-"));
  try {
    await bundleParser(folder);
    return createRequire(import.meta.url)(join(folder, "parse-script.cjs")) as ScriptParser;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
