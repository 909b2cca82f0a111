/** Slow: the file of a session log cut at every byte. */
import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";
import { checkPrefixes } from "./session-log-prefixes.ts";

test("a writer that is killed at any byte of 200 events leaves every whole line, and the next goes on from there", async () => {
  expect(await checkPrefixes(tempDir(), () => true)).toBeGreaterThan(80_000);
}, 3_600_000);
