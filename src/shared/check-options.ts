/** What every check of options throws: one wording, wherever an option is taken. */
import { SandboxError } from "./errors.ts";

/** `OPTION_INVALID`: the option by its name, and what was expected. */
export function invalidOption(option: string, expected: string, from?: ErrorOptions): SandboxError {
  return new SandboxError("OPTION_INVALID", `Option "${option}" must be ${expected}.`, { option }, from);
}

/** As `refuseUnknownOptions`, as a question. */
export function unknownOption(options: object, known: readonly string[]): string | undefined {
  return Object.keys(options).find((name) => !known.includes(name));
}

/**
 * Refuses the first option that is not known.
 *
 * @param prefix Where the options stand in another option, for example `"limits."`.
 * @throws SandboxError `OPTION_INVALID` that names it and all that are known.
 */
export function refuseUnknownOptions(options: object, known: readonly string[], prefix = ""): void {
  const name = unknownOption(options, known);
  if (name === undefined) return;
  throw new SandboxError(
    "OPTION_INVALID",
    `Unknown option "${prefix}${name}". Known options: ${known.map((key) => prefix + key).join(", ")}.`,
    { option: `${prefix}${name}` },
  );
}

/** An object that holds options; an array is none. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
