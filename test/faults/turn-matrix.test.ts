/** The whole turn matrix. */
import { describe, test } from "vitest";
import { failOnStrays } from "../helpers/strays.ts";
import { runTurnCell } from "./run-turn-cell.ts";
import { MODES, ROWS } from "./turn-matrix.ts";

failOnStrays();

describe.each(MODES)("%s", (mode) => {
  // In the host's own process there is no child.
  const rows = ROWS.filter((row) => mode !== "just-bash" || row !== "child killed");
  test.each(rows)("%s: the turn ends as it must and leaves nothing", async (row) => {
    await runTurnCell(mode, row);
  });
});
