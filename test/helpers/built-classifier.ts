/** The classifier as `dist/worker/classify.cjs` holds it, built from these sources. */
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleClassifier } from "../../build/bundle-worker.ts";
import type { Classifier } from "../../src/tiers/load-classifier.ts";

export async function buildClassifier(): Promise<Classifier> {
  const folder = mkdtempSync(join(tmpdir(), "harness-test-"));
  try {
    await bundleClassifier(folder);
    return createRequire(import.meta.url)(join(folder, "classify.cjs")) as Classifier;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
