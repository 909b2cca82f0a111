/** Cells of the turn matrix that take little time; `turn-matrix.test.ts` has all of them. */
import { test } from "vitest";
import { failOnStrays } from "../helpers/strays.ts";
import { runTurnCell } from "./run-turn-cell.ts";
import { type Mode, ROWS, type Row } from "./turn-matrix.ts";

failOnStrays();

const CELLS: ReadonlyArray<readonly [Mode, Row]> = [
  ...ROWS.filter((row) => row !== "child killed").map((row) => ["just-bash", row] as const),
  ["auto", "success"],
  ["auto", "abort"],
  ["auto", "child killed"],
  ["subprocess", "dispose error"],
  ["tiered", "success"],
];

test.each(CELLS)("%s, %s: the turn ends as it must and leaves nothing", async (mode, row) => {
  await runTurnCell(mode, row);
});
