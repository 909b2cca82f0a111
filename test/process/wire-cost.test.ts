import { expect, test } from "vitest";
import { readWireCounts, WIRE_TAP, type WireCounts } from "../../bench/guard/wire-tap.ts";
import { openForTest } from "../helpers/open.ts";

/** What a worker's whole life costs that runs this command so many times. */
async function lifeOf(command: string, count: number): Promise<WireCounts> {
  let diagnostics = "";
  const { sandbox } = await openForTest({
    execArgv: WIRE_TAP,
    onDiagnostic: (text) => {
      diagnostics += text;
    },
  });
  for (let index = 0; index < count; index++) await sandbox.exec(command);
  await sandbox.dispose();
  return readWireCounts(diagnostics);
}

const COUNT = 5;

test.each([
  { command: "true", cost: "three frames: its request, its script, its result", frames: 3 },
  { command: "echo hi", cost: "four frames: one more for its output", frames: 4 },
])("`$command` costs at most $cost", async ({ command, frames }) => {
  const [one, more] = [await lifeOf(command, 1), await lifeOf(command, 1 + COUNT)];
  const each = (more.frames - one.frames) / COUNT;
  expect(each).toBeLessThanOrEqual(frames);
  // Counted at all: what asks and what answers are two.
  expect(each).toBeGreaterThanOrEqual(2);
});
