/** Rows → tables of text, for the terminal and for `docs/performance.md`. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Summary } from "./measure.ts";
import { type Goal, keepsGoal, type MeasuredRow, type Row } from "./row.ts";

/** The rows of one subject. */
export interface MeasuredGroup {
  readonly name: string;
  readonly rows: readonly Row[];
}

/** What no row says. */
const NOT_MEASURED = [
  "A first run after installation, when the worker's files are not yet in the system's file cache.",
  "Other machines, other versions of Node.js, macOS and Windows: run it there.",
  "Python, sqlite3 and curl; scripts that compute (the engine's own speed is the same in every adapter).",
  "What a real program such as `git` costs: the sandbox has none, so there is nothing to compare.",
  "The real `bash` doing real work: it is compared where it does nothing, which is its start.",
  "Disks: all files lie in the temporary directory, and nothing waits for a disk to have them.",
  "What else the machine does meanwhile: the load at the start is printed, and that is all.",
];

/** From fewer samples than this a 99th percentile would be their largest. */
const ENOUGH_FOR_P99 = 100;

const HEAD = [
  "what",
  "p50 / p95 / p99",
  "against",
  "p50 / p95 / p99",
  "ratio p50 (p95)",
  "n",
  "goal",
  "kept",
];

/** Everything, a table for each group. */
export function toReport(headline: string, groups: readonly MeasuredGroup[]): string {
  const sections = groups.flatMap(({ name, rows }) => [`### ${name}`, toTable(rows), toNotes(rows)]);
  const missing = `### Not measured\n\n${NOT_MEASURED.map((line) => `- ${line}`).join("\n")}`;
  return [headline, ...sections, missing].filter((part) => part !== "").join("\n\n");
}

export function toTable(rows: readonly Row[]): string {
  const lines = [HEAD, HEAD.map(() => "---"), ...rows.map(toCells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? "").length)));
  const toLine = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, cell === "---" ? "-" : " ")).join(" | ")} |`;
  return lines.map(toLine).join("\n");
}

/** Notes to the rows, one a line. */
function toNotes(rows: readonly Row[]): string {
  return rows
    .flatMap((row) => ("pairs" in row && row.note !== undefined ? [`- ${row.what}: ${row.note}.`] : []))
    .join("\n");
}

/** Puts text between the two markers of a document. */
export function writeBetweenMarkers(file: string, text: string): void {
  const [start, end] = ["<!-- bench:start -->", "<!-- bench:end -->"];
  const before = readFileSync(file, "utf8");
  const from = before.indexOf(start) + start.length;
  const to = before.indexOf(end);
  if (from < start.length || to < from)
    throw new Error(`${file} has no place for the table: ${start} … ${end}`);
  writeFileSync(file, `${before.slice(0, from)}\n\n${text}\n\n${before.slice(to)}`);
}

function toCells(row: Row): string[] {
  if ("reason" in row) return [row.what, `not available: ${row.reason}`, "", "", "", "", "", ""];
  if ("failure" in row) return [row.what, `failed: ${row.failure}`, "", "", "", "", "", ""];
  const { what, against, unit, pairs, goal } = row;
  return [
    what,
    withUnit(pairs.value, unit, pairs.rounds),
    against,
    withUnit(pairs.base, unit, pairs.rounds),
    `${round(pairs.ratio.p50)} × (${round(pairs.ratio.p95)} ×)`,
    pairs.rounds.toLocaleString("en"),
    goal === null ? "" : goalText(goal),
    keptText(row),
  ];
}

function goalText(goal: Goal): string {
  return "maxRatio" in goal ? `≤ ${goal.maxRatio} ×` : `≤ +${goal.maxExtraMs} ms`;
}

function keptText(row: MeasuredRow): string {
  const keeps = keepsGoal(row);
  if (keeps === null || row.goal === null) return "";
  const { p50 } = row.pairs.extra;
  const extra = "maxExtraMs" in row.goal ? `, ${p50 < 0 ? "" : "+"}${round(p50)} ms` : "";
  return `${keeps ? "yes" : "no"}${extra}`;
}

function withUnit({ p50, p95, p99 }: Summary, unit: string, rounds: number): string {
  return `${round(p50)} / ${round(p95)} / ${rounds < ENOUGH_FOR_P99 ? "–" : round(p99)} ${unit}`;
}

/** Two digits that count: more would only be noise. */
export function round(value: number): string {
  if (Math.abs(value) >= 10) return String(Math.round(value));
  return value.toFixed(Math.abs(value) >= 1 ? 1 : 2);
}
