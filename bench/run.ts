/**
 * `npm run bench [-- --quick] [--markdown] [--only <group>]`: measures the built package and prints the table of
 * goals. `--quick` takes less than a minute, `--markdown` also writes the table into `docs/performance.md`.
 * A goal that is missed fails nothing: times on a shared machine are for people to judge.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../build/paths.ts";
import { describeMachine, machineLine } from "./machine.ts";
import { NOT_MEASURED, toNotes, toTable, writeBetweenMarkers } from "./report.ts";
import type { Row, RowGroup } from "./row.ts";
import { coldRows } from "./rows/cold.ts";
import { growthRows } from "./rows/growth.ts";
import { idleRows } from "./rows/idle.ts";
import { importRows } from "./rows/import.ts";
import { outputRows } from "./rows/output.ts";
import { toolRows } from "./rows/tools.ts";
import { trackingRows } from "./rows/tracking.ts";
import { warmRows } from "./rows/warm.ts";

const GROUPS: Readonly<Record<string, RowGroup>> = {
  import: importRows,
  cold: coldRows,
  warm: warmRows,
  tools: toolRows,
  output: outputRows,
  tracking: trackingRows,
  idle: idleRows,
  growth: growthRows,
};

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
  },
});
const unknown = values.only.find((name) => !(name in GROUPS));
if (unknown !== undefined) {
  console.error(`bench: no group "${unknown}"; there are ${Object.keys(GROUPS).join(", ")}`);
  process.exit(2);
}
const quick = values.quick;
const effort = { quick, rounds: (full: number, short: number) => (quick ? short : full) };

const machine = describeMachine();
const rows: Row[] = [];
for (const [name, measure] of Object.entries(GROUPS)) {
  if (values.only.length > 0 && !values.only.includes(name)) continue;
  const startedMs = performance.now();
  process.stderr.write(`${name} …`);
  rows.push(...(await measure(effort)));
  process.stderr.write(` ${((performance.now() - startedMs) / 1_000).toFixed(1)} s\n`);
}

const command = `npm run bench${quick ? " -- --quick" : ""}`;
const text = [
  `${machineLine(machine)}; ${command}.`,
  toTable(rows),
  toNotes(rows),
  `Not measured:\n\n${NOT_MEASURED.map((line) => `- ${line}`).join("\n")}`,
]
  .filter((part) => part !== "")
  .join("\n\n");
console.log(`\n${text}`);

mkdirSync(join(root, ".cache"), { recursive: true });
const file = join(root, ".cache/bench.json");
writeFileSync(file, `${JSON.stringify({ machine, quick, rows }, null, 2)}\n`);
if (values.markdown) writeBetweenMarkers(join(root, "docs/performance.md"), text);
