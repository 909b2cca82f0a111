/** The suite of session logs over a file. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { type OpenSessionLog, sessionLogSuite } from "../../src/conformance.ts";
import { fileSessionLog } from "../../src/session-log/file-log.ts";
import type { HarnessSessionLog } from "../../src/shared/session-log.ts";

const opened: HarnessSessionLog[] = [];
const directories: string[] = [];

afterAll(async () => {
  for (const log of opened) await log.close();
  for (const directory of directories) await rm(directory, { recursive: true });
});

function openFile(sync: boolean): OpenSessionLog {
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), "session-log-"));
    directories.push(directory);
    const path = join(directory, "log.ndjson");
    const open = (): HarnessSessionLog => {
      const log = fileSessionLog({ path, sync });
      opened.push(log);
      return log;
    };
    const log = open();
    const reopen = async () => {
      await log.close();
      return open();
    };
    return { log, reopen };
  };
}

const logs: [string, OpenSessionLog][] = [
  ["file", openFile(false)],
  ["file with sync", openFile(true)],
];

describe.each(logs)("%s", (kind, open) => {
  for (const { name, run } of sessionLogSuite(open).cases) {
    // Pages are read as without sync, and are made of more appends than anything else.
    if (kind === "file" || !/\bpage\b/.test(name)) test(name, run);
  }
});
