/** Measures groups of rows one after another, and writes what came out. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../build/paths.ts";
import { GROUPS } from "./groups.ts";
import { describeMachine, machineLine } from "./machine.ts";
import { type MeasuredGroup, toReport, writeBetweenMarkers } from "./report.ts";
import { type Effort, firstSentence, type Row, type RowGroup } from "./row.ts";

export interface TableOptions {
  readonly quick: boolean;
  readonly markdown: boolean;
  readonly only: readonly string[];
}

/** Resolves to the exit code: 2 for a group that there is not, 1 when a row failed. */
export async function runTable({ quick, markdown, only }: TableOptions): Promise<number> {
  const unknown = only.find((name) => !Object.hasOwn(GROUPS, name));
  if (unknown !== undefined) {
    console.error(`bench: no group "${unknown}"; there are ${Object.keys(GROUPS).join(", ")}`);
    return 2;
  }
  const machine = describeMachine();
  const effort: Effort = { quick, rounds: (full, short) => (quick ? short : full) };
  const groups: MeasuredGroup[] = [];
  for (const [name, measure] of Object.entries(GROUPS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const startedMs = performance.now();
    process.stderr.write(`${name} …`);
    groups.push({ name, rows: await rowsOf(name, measure, effort) });
    process.stderr.write(` ${((performance.now() - startedMs) / 1_000).toFixed(1)} s\n`);
  }

  const words = [...(quick ? ["--quick"] : []), ...only.map((name) => `--only ${name}`)];
  const command = ["npm run bench", ...(words.length > 0 ? ["--", ...words] : [])].join(" ");
  const text = toReport(`${machineLine(machine)}; \`${command}\`.`, groups);
  console.log(`\n${text}`);
  mkdirSync(join(root, ".cache"), { recursive: true });
  writeFileSync(
    join(root, ".cache/bench.json"),
    `${JSON.stringify({ machine, command, groups }, null, 2)}\n`,
  );
  if (markdown) writeBetweenMarkers(join(root, "docs/performance.md"), text);
  return groups.some(({ rows }) => rows.some((row) => "failure" in row)) ? 1 : 0;
}

async function rowsOf(name: string, measure: RowGroup, effort: Effort): Promise<Row[]> {
  try {
    return await measure(effort);
  } catch (error) {
    return [{ what: `all of ${name}`, failure: firstSentence(error) }];
  }
}
