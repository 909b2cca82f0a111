/** One suite, every session log of ours: what a user of one relies on holds for all. */
import { describe, test } from "vitest";
import { type OpenSessionLog, sessionLogSuite } from "../../src/conformance.ts";
import { memorySessionLog } from "../../src/session-log/memory-log.ts";

const logs: [string, OpenSessionLog][] = [["memory", () => ({ log: memorySessionLog() })]];

describe.each(logs)("%s", (_, open) => {
  for (const { name, run } of sessionLogSuite(open).cases) test(name, run);
});
