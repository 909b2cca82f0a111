/** The word that names a command: expanded, split and globbed before anything is looked up by it. */
import type { SimpleCommandNode } from "just-bash";

type WordNode = SimpleCommandNode["args"][number];

/** Whether a word stays the one word that it is: the common case, for which nothing has to be split. */
export function isPlainCommand({ parts }: WordNode): boolean {
  const only = parts[0];
  if (parts.length !== 1 || only === undefined) return false;
  return only.type === "Literal" || (only.type === "Glob" && only.pattern === "[");
}

/** Whether anything in a command that expanded to nothing was a command substitution: its status is the command's. */
export function holdsSubstitution({ name, args, assignments }: SimpleCommandNode): boolean {
  return [name, args, assignments].some(found);
}

function found(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  if (Array.isArray(node)) return node.some(found);
  const fields = node as Record<string, unknown>;
  return fields.type === "CommandSubstitution" || Object.values(fields).some(found);
}
