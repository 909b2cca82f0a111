/** What assignments, and builtins that assign, make certain about variables, or uncertain. */
import type { SimpleCommandNode, WordNode } from "../engine/parse-script.ts";
import { certainFields, expandText } from "./expand-word.ts";
import { outputOfScript } from "./literal-output.ts";
import { MOST_VALUES, type ShellState, text, UNKNOWN, UNKNOWN_VALUE, type Value } from "./shell-state.ts";

type Assignment = SimpleCommandNode["assignments"][number];
/** The engine's form of `declare a=(…)`. */
type ArrayWord = WordNode & {
  array?: { name: string; append: boolean; elements: readonly WordNode[] };
};

const NAME = /^[A-Za-z_]\w*$/;
const DECLARING = new Set(["declare", "export", "local", "readonly", "typeset"]);
const READING = new Set(["getopts", "let", "mapfile", "printf", "read", "readarray", "unset", "wait"]);

export function isAssigning(name: string): boolean {
  return DECLARING.has(name) || READING.has(name);
}

export function assignWord({ name, value, append, array }: Assignment, state: ShellState): void {
  if (!NAME.test(name)) {
    // An element of an array.
    const whole = name.split("[", 1)[0] ?? "";
    if (NAME.test(whole)) state.assign(whole, UNKNOWN_VALUE);
    return;
  }
  if (array !== null) state.assign(name, listed(name, array, append, state));
  else {
    const texts = value === null ? [""] : expandText(value, state, outputOfScript(state));
    state.assign(name, append ? appended(state.variables.get(name), texts) : text(...texts));
  }
}

/** `args` as they are written: `export x=$y` is one word, whatever is in `$y`. */
export function setVariables(builtin: string, args: readonly WordNode[], state: ShellState): void {
  const outputOf = outputOfScript(state);
  let options = "";
  for (const word of args as readonly ArrayWord[]) {
    const { array } = word;
    const texts = expandText(word, state, outputOf);
    const [first = ""] = texts;
    if (/^-/.test(first)) options += first;
    if (builtin === "printf" && first !== "-v" && !options.endsWith("-v")) return;
    if (array !== undefined) {
      state.assign(array.name, listed(array.name, array.elements, array.append, state));
      continue;
    }
    const [, name, sign, index] = /^([A-Za-z_]\w*)(\+?=|(\[)|$)/.exec(first) ?? [];
    if (name === undefined) continue;
    if (builtin === "export" || /^-[a-zA-Z]*x/.test(options)) state.exported.set(name, true);
    if (!DECLARING.has(builtin) || index !== undefined || options.includes("n"))
      state.assign(name, UNKNOWN_VALUE);
    else if (sign === "") {
      // `local x` hides the value that there was; `export x` keeps it.
      if (builtin !== "export" && builtin !== "readonly") state.assign(name, text(""));
    } else {
      const values = texts.map((known) => known.slice(name.length + (sign?.length ?? 0)));
      const isSame = texts.every((known) => known.startsWith(`${name}${sign}`));
      const value = sign === "+=" ? appended(state.variables.get(name), values) : text(...values);
      state.assign(name, isSame ? value : UNKNOWN_VALUE);
    }
  }
}

function listed(name: string, words: readonly WordNode[], append: boolean, state: ShellState): Value {
  const outputOf = outputOfScript(state);
  const before = append ? state.variables.get(name) : { is: "list" as const, items: [] };
  if (append && before?.is !== "list") return UNKNOWN_VALUE;
  const items = words.flatMap((word) => certainFields(word, state, outputOf));
  return { is: "list", items: [...(before?.is === "list" ? before.items : []), ...items] };
}

function appended(before: Value | undefined, texts: readonly string[]): Value {
  if (before?.is !== "text" || before.values.length * texts.length > MOST_VALUES) return text(UNKNOWN);
  return text(...before.values.flatMap((known) => texts.map((added) => known + added)));
}
