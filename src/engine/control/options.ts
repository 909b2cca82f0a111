/** `$-`, and how `set -x` writes commands. */
import type { InterpreterState, Output } from "./interpreter.ts";

/** In bash's order. */
const LETTERS: readonly (readonly [letter: string, option: string])[] = [
  ["a", "allexport"],
  ["e", "errexit"],
  ["f", "noglob"],
  ["h", ""],
  ["n", "noexec"],
  ["u", "nounset"],
  ["v", "verbose"],
  ["x", "xtrace"],
  ["B", ""],
  ["C", "noclobber"],
  ["E", "errtrace"],
  ["T", "functrace"],
];

/** `$-` of a shell that runs a script given as a string, as every one here does. */
export function optionLetters({ options }: InterpreterState): string {
  const letters = LETTERS.filter(([, option]) => option === "" || options[option]);
  return `${letters.map(([letter]) => letter).join("")}c`;
}

/** Options of `set -o` that are on in every shell and that the engine lists as off. */
const ALWAYS_ON = /^((?:set )?)(?:[-+]o )?(braceexpand|hashall|interactive-comments)\b.*$/gm;

/** What `set -o`, `set +o` and `shopt` list, in bash's columns. */
export function listed(output: Output): Output {
  const on = output.stdout.replace(ALWAYS_ON, (_, set: string, name: string) => {
    return set === "" ? `${name}\t\ton` : `set -o ${name}`;
  });
  const stdout = on.replace(/^([a-z][\w-]*)(?:\t\t| +)(on|off)$/gm, (_, name: string, state: string) => {
    return `${name.padEnd(15)}\t${state}`;
  });
  return { ...output, stdout };
}
