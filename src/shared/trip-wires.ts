/** `CreateSandboxOptions.tripWires`, checked. */
import { SandboxError } from "./errors.ts";

/** More names than any list of programs has; each is one value of the worker's first message. */
const MAX_TRIP_WIRES = 4_096;
const MAX_NAME_LENGTH = 255;

/** @throws SandboxError `OPTION_INVALID` for anything but names that a command can have. */
export function checkTripWires(given: unknown): readonly string[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.length > MAX_TRIP_WIRES || !given.every(isCommandName)) {
    const message = `Option "tripWires" must be an array of at most ${MAX_TRIP_WIRES} names of commands, without "/" and blanks.`;
    throw new SandboxError("OPTION_INVALID", message, { option: "tripWires" });
  }
  return [...given];
}

function isCommandName(value: unknown): boolean {
  return typeof value === "string" && value.length <= MAX_NAME_LENGTH && /^[^\s/\0]+$/.test(value);
}
