/** What was thrown, in its own words: for the operator, whose paths they are. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
