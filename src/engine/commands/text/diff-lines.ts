/** Where two lists of lines differ, as `diff` and `patch` see it. */
import { diffArrays } from "diff";

/** Lines `aStart` to `aEnd` (not included, from 0) of the first become `bStart` to `bEnd` of the second. */
export interface Hunk {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

/** Above this many changed lines a smaller answer is not looked for: its cost grows with their square. */
const MAX_EDITS = 20_000;

/** The differences in order. `a` and `b` are what is compared of each line. */
export function differences(a: readonly string[], b: readonly string[]): Hunk[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  if (start === endA && start === endB) return [];
  return slideDown(between(a, b, start, endA, endB), a, b);
}

function between(
  a: readonly string[],
  b: readonly string[],
  start: number,
  endA: number,
  endB: number,
): Hunk[] {
  const whole = { aStart: start, aEnd: endA, bStart: start, bEnd: endB };
  if (start === endA || start === endB) return [whole];
  const changes = diffArrays([...a.slice(start, endA)], [...b.slice(start, endB)], {
    maxEditLength: MAX_EDITS,
  });
  if (changes === undefined) return [whole];
  const hunks: Hunk[] = [];
  let [atA, atB] = [start, start];
  for (const { added, removed, count } of changes) {
    const last = hunks[hunks.length - 1];
    const aEnd = added ? atA : atA + count;
    const bEnd = removed ? atB : atB + count;
    if (added || removed) {
      if (last !== undefined && last.aEnd === atA && last.bEnd === atB)
        hunks[hunks.length - 1] = { ...last, aEnd, bEnd };
      else hunks.push({ aStart: atA, aEnd, bStart: atB, bEnd });
    }
    [atA, atB] = [aEnd, bEnd];
  }
  return hunks;
}

/**
 * Lines that were only added or only removed can often be taken a place higher or lower with the same result: they
 * join the difference above when they reach it, and else stand as low as they can.
 */
function slideDown(hunks: readonly Hunk[], a: readonly string[], b: readonly string[]): Hunk[] {
  const placed: Hunk[] = [];
  for (const hunk of hunks) {
    const before = placed[placed.length - 1];
    const higher = slide(
      hunk,
      a,
      b,
      -1,
      (at) => before === undefined || at.aStart > before.aEnd || at.bStart > before.bEnd,
    );
    const joins = before !== undefined && higher.aStart === before.aEnd && higher.bStart === before.bEnd;
    if (joins) placed[placed.length - 1] = { ...before, aEnd: higher.aEnd, bEnd: higher.bEnd };
    else placed.push(hunk);
  }
  for (let at = placed.length - 1; at >= 0; at--) {
    const hunk = placed[at];
    if (hunk === undefined) continue;
    const after = placed[at + 1];
    const lower = slide(
      hunk,
      a,
      b,
      1,
      (here) => after === undefined || here.aEnd < after.aStart || here.bEnd < after.bStart,
    );
    if (after !== undefined && lower.aEnd === after.aStart && lower.bEnd === after.bStart) {
      placed.splice(at, 2, { ...lower, aEnd: after.aEnd, bEnd: after.bEnd });
    } else placed[at] = lower;
  }
  return placed;
}

function slide(
  hunk: Hunk,
  a: readonly string[],
  b: readonly string[],
  step: 1 | -1,
  mayGoOn: (at: Hunk) => boolean,
): Hunk {
  const onlyB = hunk.aStart === hunk.aEnd;
  if (!onlyB && hunk.bStart !== hunk.bEnd) return hunk;
  const lines = onlyB ? b : a;
  let at = hunk;
  while (mayGoOn(at)) {
    const [start, end] = onlyB ? [at.bStart, at.bEnd] : [at.aStart, at.aEnd];
    const leaving = step === 1 ? lines[start] : lines[end - 1];
    const entering = step === 1 ? lines[end] : lines[start - 1];
    if (entering === undefined || leaving !== entering) return at;
    at = { aStart: at.aStart + step, aEnd: at.aEnd + step, bStart: at.bStart + step, bEnd: at.bEnd + step };
  }
  return at;
}

/** Differences that stand so near to each other that their surroundings meet, together. */
export function groups(hunks: readonly Hunk[], context: number): Hunk[][] {
  const found: Hunk[][] = [];
  for (const hunk of hunks) {
    const group = found[found.length - 1];
    const before = group?.[group.length - 1];
    if (group !== undefined && before !== undefined && hunk.aStart - before.aEnd <= 2 * context)
      group.push(hunk);
    else found.push([hunk]);
  }
  return found;
}
