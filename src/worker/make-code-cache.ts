/**
 * `dist/worker/make-code-cache.js`: a process of its own that runs no guest. It loads the core, rehearses, and writes
 * V8's compiled form of what was used to descriptor 1. A worker that gets these bytes compiles nothing of that again.
 */
import { loadCore } from "./load-core.ts";
import { makeNeutral } from "./neutral-process.ts";
import { original } from "./originals.ts";
import { takeStdio } from "./take-stdio.ts";

const out = takeStdio();
makeNeutral();
const { worker, createCodeCache } = loadCore(import.meta.url);
try {
  const { loadEngine, rehearse } = worker();
  await rehearse(loadEngine());
  out.write(createCodeCache());
  original.exit(0);
} catch (error) {
  console.error(`little-harness code cache: ${String(error)}`);
  original.exit(1);
}
