/**
 * Writes src/conformance/reference-traces.ts anew, from what justBashSandbox() gives: `npx tsx
 * test/contract/record-traces.ts`. Read the difference: each line of it is a change for every host.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../build/paths.ts";
import { resolveSuiteOptions } from "../../src/conformance/sandbox-options.ts";
import { Stage } from "../../src/conformance/stage.ts";
import { TRACE_RUNS, traceOf } from "../../src/conformance/traces.ts";
import { justBashSandbox } from "../../src/sandbox/just-bash-sandbox.ts";

const options = resolveSuiteOptions({ create: justBashSandbox() });
const traces: Record<string, string[]> = {};
for (const run of TRACE_RUNS) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "traces-")));
  for (const place of ["session", "plain", "docs"]) mkdirSync(join(folder, place));
  writeFileSync(join(folder, "docs/guide.txt"), "read me\n");
  const stage = new Stage(run.name, options, folder);
  traces[run.name] = await traceOf(run, stage);
  await stage.end();
  rmSync(folder, { recursive: true, force: true });
}
const head = `/** Written by test/contract/record-traces.ts from what justBashSandbox() gives: one line per event. */\n`;
const body = `export const REFERENCE_TRACES = ${JSON.stringify(traces, null, 2)} as const satisfies Record<string, readonly string[]>;\n`;
writeFileSync(join(root, "src/conformance/reference-traces.ts"), head + body);
