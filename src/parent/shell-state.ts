/**
 * The shape of a shell's state as the worker reports it. The parent keeps it for the worker that comes after a
 * kill and never looks inside; but a state that no worker can take up would end every later one.
 */

/** Whether a value has the shape of `ShellState` (`src/engine/port.ts`). */
export function isShellState(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { cwd, variables, unset, functions, aliases } = value as Record<string, unknown>;
  return (
    typeof cwd === "string" &&
    cwd.startsWith("/") &&
    [variables, functions, aliases].every(isTexts) &&
    Array.isArray(unset) &&
    unset.every((name) => typeof name === "string" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  );
}

function isTexts(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((text) => typeof text === "string");
}
