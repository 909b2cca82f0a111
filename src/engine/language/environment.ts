/** Which variables a program sees. */

/** Commands of the engine's that are builtins in bash: they see and set the shell's own variables. */
const BUILTINS = new Set(["alias", "unalias", "history", "printf"]);

/** The variables for one command: those of the shell itself for a builtin, the exported ones for a program. */
export function environmentOf(
  command: string,
  variables: Map<string, string>,
  exported: Readonly<Record<string, string>>,
): Map<string, string> {
  return BUILTINS.has(command) ? variables : new Map(Object.entries(exported));
}
