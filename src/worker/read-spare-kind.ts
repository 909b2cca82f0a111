/** Whether this worker was started ahead of need, and for what: its last argument, once that of the code cache is gone. */
import { SPARE_ARGUMENT, type SpareKind } from "../protocol/spare.ts";

/** `undefined`: it is needed at once; `null`: a spare for anything. The argument goes. */
export function readSpareKind(): SpareKind | null | undefined {
  const argument = process.argv.at(-1);
  if (argument?.startsWith(SPARE_ARGUMENT) !== true) return undefined;
  process.argv.pop();
  return JSON.parse(argument.slice(SPARE_ARGUMENT.length)) as SpareKind | null;
}
