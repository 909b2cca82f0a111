/** Every fault of the engine's that is mended in its text, by area. */
import { byteFaults } from "./bytes.ts";
import { controlFaults } from "./control.ts";
import type { EngineFault } from "./fault.ts";
import { fileFaults } from "./files.ts";
import { guestFaults } from "./guests.ts";
import { promiseFaults } from "./promises.ts";
import { scriptFaults } from "./scripts.ts";
import { startFaults } from "./start.ts";
import { wordFaults } from "./words.ts";

export const faults: readonly EngineFault[] = [
  ...fileFaults,
  ...guestFaults,
  ...startFaults,
  ...byteFaults,
  ...wordFaults,
  ...scriptFaults,
  ...controlFaults,
  ...promiseFaults,
];
