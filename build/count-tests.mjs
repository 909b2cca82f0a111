// Prints «N passed, N failed» (and skipped, when any) from Vitest's JSON report; fails when a test did, or none ran.
import { existsSync, readFileSync } from "node:fs";

const [file = ""] = process.argv.slice(2);
if (!existsSync(file)) {
  console.log("0 passed, 1 failed");
  process.exit(1);
}
const report = JSON.parse(readFileSync(file, "utf8"));
const { numPassedTests: passed, numPendingTests, numTodoTests, testResults } = report;
// A file that fails to load counts as one failure: none of its tests is in the numbers.
const unloadable = testResults.filter(
  ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
);
const failed = report.numFailedTests + unloadable.length;
const skipped = numPendingTests + numTodoTests;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 || passed === 0 || !report.success ? 1 : 0;
