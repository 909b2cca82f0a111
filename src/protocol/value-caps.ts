/** What one value on the wire may be at most. The writer keeps the same caps as the reader. */

/** Arrays and maps inside each other. The deepest message has 5; recursion of this depth cannot overflow a stack. */
export const MAX_DEPTH = 32;

/** Values and map keys in one frame. 4 MiB of empty maps would otherwise become 370 MB of objects. */
export const MAX_NODES = 100_000;

/** Keys that could reach a prototype if a careless reader assigned them. */
export function isForbiddenKey(key: string): boolean {
  return key === "__proto__" || key === "constructor" || key === "prototype";
}
