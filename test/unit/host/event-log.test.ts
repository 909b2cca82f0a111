import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EventLog } from "../../../src/host/event-log.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

test("what is appended is in the file after a flush, one JSON a line, in order", async () => {
  const path = join(tempDir(), "events.ndjson");
  const log = new EventLog(path, (why) => expect.unreachable(why));
  for (let number = 0; number < 1_000; number++) {
    log.append({ number, text: "two\nlines" });
    if (number % 100 === 0) await Promise.resolve();
  }
  await log.close();
  const lines = readFileSync(path, "utf8").split("\n");
  expect(lines.pop()).toBe("");
  expect(lines.map((line) => JSON.parse(line).number)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => index),
  );
});

test("a full disk is told once, and ends the file", async ({ skip }) => {
  if (!existsSync("/dev/full")) return skip("needs /dev/full");
  const told: string[] = [];
  const log = new EventLog("/dev/full", (why) => {
    told.push(why);
    log.append({ type: "failed" });
  });
  log.append({ number: 1 });
  await log.flush();
  log.append({ number: 2 });
  await log.close();
  expect(told).toEqual(["events.ndjson could not be written: ENOSPC"]);
});
