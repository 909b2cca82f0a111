/** Characters of a name that are compared; the name comes from a script and the comparison is quadratic. */
const MAX_COMPARED = 64;

/** Up to three known names that are close to a wrong one, closest first. */
export function nearestNames(wrong: string, known: readonly string[]): string[] {
  const wanted = wrong.slice(0, MAX_COMPARED).toLowerCase();
  return known
    .map((name) => ({ name, distance: distanceTo(wanted, name.slice(0, MAX_COMPARED).toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.min(wanted.length, name.length) / 2))
    .sort((left, right) => left.distance - right.distance || (left.name < right.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

function distanceTo(left: string, right: string): number {
  // `find` for `orders.find`, or the other way: a forgotten level is one mistake.
  if (left.endsWith(`.${right}`) || right.endsWith(`.${left}`)) return 1;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < right.length; j++) {
      const swap = (row[j] ?? 0) + (left[i] === right[j] ? 0 : 1);
      next.push(Math.min(swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
