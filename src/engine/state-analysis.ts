/**
 * Whether a script can change variables, functions, aliases, options or the cwd. «No» must be certain, for
 * then the state is not read again after the script; «yes» costs one more statement (0.1 to 0.5 ms).
 */
import type { ScriptNode } from "just-bash";
import { PROGRAMS } from "./command-names.ts";

/** Node types that can neither assign nor define, whatever they hold besides commands. */
const HARMLESS = new Set(
  [
    "Script Statement Pipeline SimpleCommand If Subshell Group ConditionalCommand Redirection HereDoc Word Literal",
    "SingleQuoted DoubleQuoted Escaped ParameterExpansion DefaultValue UseAlternative Length Substring",
    "PatternRemoval PatternReplacement CaseModification CommandSubstitution ProcessSubstitution BraceExpansion",
    "Range TildeExpansion Glob CondBinary CondUnary CondNot CondAnd CondOr CondGroup CondWord",
  ].flatMap((line) => line.split(" ")),
);

/** What runs in a process of its own cannot change this shell, whatever it is. */
const OWN_PROCESS = new Set(["Subshell", "CommandSubstitution", "ProcessSubstitution"]);

/** `defined` holds the functions and aliases of the shell: a call of one can do anything. */
export function mayChangeState(script: ScriptNode, defined: ReadonlySet<string>): boolean {
  return mayChange(script, defined);
}

function mayChange(node: unknown, defined: ReadonlySet<string>): boolean {
  if (typeof node !== "object" || node === null) return false;
  if (Array.isArray(node)) return node.some((item) => mayChange(item, defined));
  const fields = node as Record<string, unknown>;
  const type = fields.type;
  if (typeof type === "string") {
    if (OWN_PROCESS.has(type)) return false;
    if (!HARMLESS.has(type) || fields.background === true || fields.fdVariable !== undefined) return true;
    if (type === "SimpleCommand" && !isKnownCommand(fields, defined)) return true;
  }
  for (const key in fields) if (mayChange(fields[key], defined)) return true;
  return false;
}

function isKnownCommand(fields: Record<string, unknown>, defined: ReadonlySet<string>): boolean {
  if (fields.name === null) return (fields.assignments as unknown[]).length === 0;
  if ((fields.assignments as unknown[]).length > 0) return false;
  const parts = (fields.name as { parts: { type: string; value?: string }[] }).parts;
  const only = parts[0];
  if (parts.length !== 1 || only?.type !== "Literal" || only.value === undefined) return false;
  return PROGRAMS.has(only.value) && !defined.has(only.value);
}
