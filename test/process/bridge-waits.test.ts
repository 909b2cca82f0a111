/** Thousands of calls of one script into the sandbox, one after the other: each gets its own answer. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";

const JS = `js-exec -c 'for (let i = 0; i < 8000; i++) console.log("y".repeat(1000))' > /w/out`;
const PYTHON = `python3 -c 'for i in range(4000): print("y" * 1000)' > /w/out`;
const LINE_BYTES = 1001;

test.each(["subprocess", "just-bash"] as const)(
  "in %s everything that js-exec and python3 print arrives, and no call fails of itself",
  async (kind) => {
    const { sandbox, directory } = await openForTest({ sandbox: kind });
    for (const [script, lines] of [
      [JS, 8000],
      [JS, 8000],
      [JS, 8000],
      [PYTHON, 4000],
    ] as const) {
      const { exitCode, stderr } = await sandbox.exec(script);
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(statSync(join(directory, "out")).size).toBe(lines * LINE_BYTES);
    }
  },
  60_000,
);
