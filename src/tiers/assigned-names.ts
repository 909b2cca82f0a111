/** The variables that statements may set, wherever in them: after a loop, or in its second turn, they are not certain. */
import type { StatementNode } from "../engine/parse-script.ts";

const NAME = /^[A-Za-z_]\w*$/;
/** Builtins that set the variables which their arguments name. */
const SETTING = new Set(
  "declare export getopts local mapfile printf read readarray readonly typeset unset let".split(" "),
);

export function assignedNames(statements: readonly StatementNode[]): ReadonlySet<string> {
  const names = new Set<string>();
  collect(statements, names);
  return names;
}

function collect(node: unknown, names: Set<string>): void {
  if (typeof node !== "object" || node === null) return;
  if (Array.isArray(node)) {
    for (const item of node) collect(item, names);
    return;
  }
  const fields = node as Record<string, unknown>;
  if (fields.type === "Assignment") add(fields.name, names);
  else if (fields.type === "For") add(fields.variable, names);
  else if (fields.type === "SimpleCommand" && SETTING.has(literal(fields.name)))
    for (const word of fields.args as unknown[]) add(literal(word), names);
  for (const key in fields) collect(fields[key], names);
}

function add(text: unknown, names: Set<string>): void {
  const name = String(text).split(/[=+[]/, 1)[0] ?? "";
  if (NAME.test(name)) names.add(name);
}

/** The literal text that a word begins with. */
function literal(word: unknown): string {
  const [first] = (word as { parts?: { type: string; value?: string }[] } | null)?.parts ?? [];
  return first?.type === "Literal" ? (first.value ?? "") : "";
}
