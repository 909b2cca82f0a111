/**
 * Writes src/conformance/reference-traces.ts anew, from what justBashSandbox() gives: `npx tsx
 * test/contract/record-traces.ts`. Read the difference: each line of it is a change for every host.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../build/paths.ts";
import { resolveSuiteOptions } from "../../src/conformance/sandbox-options.ts";
import { onStage } from "../../src/conformance/stage.ts";
import { TRACE_RUNS, traceOf } from "../../src/conformance/traces.ts";
import { justBashSandbox } from "../../src/sandbox/just-bash-sandbox.ts";

const options = resolveSuiteOptions({ create: justBashSandbox() });
const traces: Record<string, string[]> = {};
for (const run of TRACE_RUNS)
  traces[run.name] = await onStage(run.name, options, (stage) => traceOf(run, stage));
const head = `/** Written by test/contract/record-traces.ts from what justBashSandbox() gives: one line per event. */\n`;
const body = `export const REFERENCE_TRACES = ${JSON.stringify(traces, null, 2)} as const satisfies Record<string, readonly string[]>;\n`;
writeFileSync(join(root, "src/conformance/reference-traces.ts"), head + body);
