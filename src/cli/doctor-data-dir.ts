/** `little-harness doctor DIR`: the health of a data directory. Exit code 1 when something in it is broken. */
import type { DataDirectoryFinding, DataDirectoryReport } from "../host/inspect-data-directory.ts";
import { EXIT_BY_SIGNAL } from "./exit-codes.ts";
import { openOutput } from "./output.ts";
import type { DataDirInvocation } from "./parse-doctor.ts";
import { packageVersion } from "./version.ts";
import { toVisible } from "./visible-text.ts";

/** Findings of one kind that the text names; `--json` has them all. */
const MAX_LINES = 20;

/** Prints the report and returns the exit code. */
export async function runDoctorDataDir({ dataDir, json }: DataDirInvocation): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => stop.abort(EXIT_BY_SIGNAL[signal]));
  const stdout = openOutput(process.stdout, () => undefined);
  const { inspectDataDirectory } = await import("../host/inspect-data-directory.ts");
  const report = await inspectDataDirectory(dataDir, stop.signal);
  if (stop.signal.aborted) return stop.signal.reason as number;
  const broken = report.findings.filter(({ level }) => level === "broken").map(findingText);
  stdout.write(json ? toJson(report, broken) : dataDirText(report, broken.length));
  await stdout.flushed();
  return broken.length === 0 ? 0 : 1;
}

/** A key that is taken away or changes its meaning raises `formatVersion`. */
function toJson(report: DataDirectoryReport, broken: readonly string[]): string {
  const head = {
    format: "little-harness-data-dir",
    formatVersion: 1,
    packageVersion: packageVersion(),
  };
  return `${JSON.stringify({ ...head, ...report, broken }, null, 2)}\n`;
}

/** Lines for people, the last one saying how much is broken. */
function dataDirText(report: DataDirectoryReport, broken: number): string {
  const { dataDir, freeBytes, sessions, turns, events, locks, findings } = report;
  const free = freeBytes === null ? "" : `, ${Math.floor(freeBytes / 1024 ** 2)} MiB free`;
  const counts = [
    `ok    data directory  ${toVisible(dataDir)}${free}`,
    `ok    sessions        ${sessions.readable} readable, ${sessions.damaged} damaged`,
    `ok    turns           ${turns.completed} completed, ${turns.failed} failed, ${turns.aborted} aborted, ${turns.running} running, ${turns.cutOff} cut off, ${turns.unreadable} unreadable`,
    `ok    events          ${events.lines} lines, ${events.malformed} malformed, ${events.disposeFailures} failures of dispose`,
    `ok    locks           ${locks.held} held, ${locks.stale} stale`,
  ];
  const lines = [
    ...counts.map((line, index) => (isBad(report, index) ? line.replace(/^ok {2}/, "FAIL") : line)),
    ...findingLines(findings, "broken", "FAIL"),
    ...findingLines(findings, "note", "--  "),
    broken === 0 ? "nothing is broken" : `broken: ${broken}`,
  ];
  return `${lines.join("\n")}\n`;
}

function isBad({ sessions, turns, events, findings }: DataDirectoryReport, line: number): boolean {
  const ofAll = findings.some(({ level, sessionId }) => level === "broken" && sessionId === null);
  const bad = [ofAll, sessions.damaged > 0, turns.cutOff > 0, events.malformed + events.disposeFailures > 0];
  return bad[line] ?? false;
}

function findingLines(
  findings: readonly DataDirectoryFinding[],
  level: DataDirectoryFinding["level"],
  word: string,
): string[] {
  const found = findings.filter((finding) => finding.level === level);
  const lines = found.slice(0, MAX_LINES).map((finding) => `${word}  ${findingText(finding)}`);
  return found.length > MAX_LINES ? [...lines, `${word}  … and ${found.length - MAX_LINES} more`] : lines;
}

function findingText({ sessionId, turnId, what }: DataDirectoryFinding): string {
  const place = [sessionId, turnId].filter((part) => part !== null).join("/");
  return toVisible(place === "" ? what : `${place}: ${what}`);
}
