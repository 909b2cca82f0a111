/** A command line that cannot be meant: printed with a hint, exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** Edits (insert, delete, replace a character, swap two neighbours) that turn `a` into `b`. */
function distance(a: string, b: string): number {
  const rows: number[][] = [];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 0; row <= a.length; row++) {
    const current: number[] = [];
    rows.push(current);
    for (let column = 0; column <= b.length; column++) {
      if (row === 0 || column === 0) {
        current.push(row + column);
        continue;
      }
      const same = a[row - 1] === b[column - 1];
      const edits = [
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (same ? 0 : 1),
      ];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) edits.push(at(row - 2, column - 2) + 1);
      current.push(Math.min(...edits));
    }
  }
  return at(a.length, b.length);
}

/** The known word that was most likely meant, or `undefined` when none is near. */
function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(word, candidate) }))
    .sort((a, b) => a.edits - b.edits);
  const best = ranked[0];
  if (best === undefined) return undefined;
  const extended = known.find((candidate) => word.length >= 2 && candidate.startsWith(word));
  return best.edits <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : extended;
}

/** `; did you mean "--timeout"?`, or `""`. */
export function didYouMean(word: string, known: readonly string[], prefix = ""): string {
  const found = nearest(word, known);
  return found === undefined ? "" : `; did you mean "${prefix}${found}"?`;
}
