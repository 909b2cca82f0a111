/**
 * `declare -A m=([k]='v w')`: a list as an argument. The engine joins it to one string and takes that apart at its
 * blanks, quoted or not. Here the command declares the name, and the list is assigned as `m=(…)` is.
 */
import type { SimpleCommandNode } from "just-bash";
import { closingEnd } from "./arithmetic-text.ts";

type WordNode = SimpleCommandNode["args"][number];

/** A list among the arguments of a command; its word is the name alone. */
export interface ArrayWord {
  readonly name: string;
  readonly append: boolean;
  readonly elements: readonly WordNode[];
}

interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** What stands in the list, where it starts with a subscript: `[…]=` or `[…]+=`. */
export interface ElementText {
  /** Not yet expanded. */
  readonly subscript: string;
  readonly append: boolean;
  readonly value: string;
}

/** Reads an element of a list; `null`: it has no subscript. */
export function elementText(text: string): ElementText | null {
  const end = text.startsWith("[") ? closingEnd(text, 0) : -1;
  const operator = end === -1 ? undefined : /^\+?=/.exec(text.slice(end))?.[0];
  if (operator === undefined) return null;
  return {
    subscript: text.slice(1, end - 1),
    append: operator === "+=",
    value: text.slice(end + operator.length),
  };
}

/** Builtins that make a variable local in a function, and an indexed array unless told otherwise. */
const DECLARING = new Set(["declare", "typeset", "local"]);

/** Runs `command`, then assigns the lists among its arguments. `args` may get `-a` in front. */
export async function declareArrays(
  state: { readonlyVars?: Set<string> },
  command: string,
  words: readonly { readonly array?: ArrayWord }[],
  args: string[],
  run: () => Promise<Result>,
  assign: (array: ArrayWord) => Promise<{ error?: Result | undefined }>,
): Promise<Result> {
  const arrays = words.flatMap(({ array }) => array ?? []);
  if (arrays.length === 0) return await run();
  if (DECLARING.has(command) && !args.some((arg) => /^-[a-zA-Z]*[aA]/.test(arg))) args.unshift("-a");
  const locked = new Set(arrays.map(({ name }) => name).filter((name) => state.readonlyVars?.has(name)));
  let result = await run();
  for (const array of arrays) {
    if (result.exitCode !== 0) return result;
    // `-r` came first; the list is what is read-only.
    const lock = !locked.has(array.name) && state.readonlyVars?.delete(array.name) === true;
    const { error } = await assign(array);
    if (lock) state.readonlyVars?.add(array.name);
    if (error) result = { ...result, stderr: result.stderr + error.stderr, exitCode: error.exitCode };
  }
  return result;
}
