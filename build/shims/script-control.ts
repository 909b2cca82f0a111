/** What the engine's changed text calls to run and end scripts: see `build/engine-faults/control.ts`. */
export { controlBuiltin } from "../../src/engine/control/builtins.ts";
export { jobTurns, takeTurn } from "../../src/engine/control/job-turns.ts";
export { startJob } from "../../src/engine/control/jobs.ts";
export { exportFunctions, nestedOptions, runScriptFile } from "../../src/engine/control/nested-shell.ts";
export { listed, optionLetters } from "../../src/engine/control/options.ts";
export {
  afterStatement,
  keepsErrexitSafe,
  runGuestScript,
  runPipelinePart,
  runShell,
  runSubshell,
  runSubstitution,
} from "../../src/engine/control/shell-ends.ts";
export {
  enterFunction,
  leaveFunction,
  leaveFunctionThrown,
  runWithDebugTrap,
} from "../../src/engine/control/traps.ts";
export { trips } from "../../src/engine/trip-wires.ts";
