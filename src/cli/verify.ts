/** `little-harness verify LOG`: whether a session log is as it was written. Exit code 1 when it is not. */
import type { SessionLogFinding, SessionLogReport } from "../session-log/verify.ts";
import { isSandboxError } from "../shared/errors.ts";
import { openOutput } from "./output.ts";
import type { VerifyInvocation } from "./parse-verify.ts";
import { packageVersion } from "./version.ts";
import { toVisible } from "./visible-text.ts";

/** Findings that the text names; `--json` has more of them. */
const MAX_LINES = 50;
/** The log could not be looked at. */
const UNREADABLE = 2;

/** Prints the report and returns the exit code. */
export async function runVerify({ path, heads, json }: VerifyInvocation): Promise<number> {
  const { verifySessionLog } = await import("../session-log/verify.ts");
  const stdout = openOutput(process.stdout, () => undefined);
  let report: SessionLogReport;
  try {
    report = await verifySessionLog({ path, heads });
  } catch (error) {
    if (!isSandboxError(error)) throw error;
    process.stderr.write(`little-harness: ${toVisible(error.message)}\n`);
    return error.code === "SESSION_LOG_CORRUPT" ? 1 : UNREADABLE;
  }
  stdout.write(json ? toJson(report) : toText(report));
  await stdout.flushed();
  return report.isWhole ? 0 : 1;
}

/** A key that is taken away or changes its meaning raises `formatVersion`. */
function toJson(report: SessionLogReport): string {
  const head = { format: "little-harness-verify", formatVersion: 1, packageVersion: packageVersion() };
  return `${JSON.stringify({ ...head, ...report }, null, 2)}\n`;
}

function toText({ path, events, heads, findings, findingCount, unfinishedBytes }: SessionLogReport): string {
  const lines = findings.slice(0, MAX_LINES).map((finding) => `FAIL  ${toVisible(findingText(finding))}`);
  if (findingCount > lines.length) lines.push(`FAIL  … and ${findingCount - lines.length} more`);
  if (unfinishedBytes > 0)
    lines.push(
      `--    ${unfinishedBytes} bytes after the last line: an append under way, or one that was cut off`,
    );
  const count = `${events} ${events === 1 ? "event" : "events"} of ${heads.length} ${heads.length === 1 ? "run" : "runs"}`;
  lines.push(
    findingCount === 0
      ? `ok    ${toVisible(path)}: ${count}, every chain is whole`
      : `broken: ${findingCount} in ${count}`,
  );
  return `${lines.join("\n")}\n`;
}

function findingText({ line, runId, sequence, what }: SessionLogFinding): string {
  const parts = [
    line === 0 ? [] : [`line ${line}`],
    runId === null ? [] : [`run ${runId}`],
    sequence === null ? [] : [`event ${sequence}`],
  ].flat();
  return parts.length === 0 ? what : `${parts.join(", ")}: ${what}`;
}
