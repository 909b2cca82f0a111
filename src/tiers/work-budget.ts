/**
 * What one classification may cost. It runs on the host's thread, over text that a model wrote, so both what is parsed
 * and what is done with it are bounded, by counts and not by a clock: the same script is always told the same.
 */

/** Longer scripts are not classified, in UTF-16 units. */
export const MOST_SCRIPT_LENGTH = 65_536;
/** Levels of open brackets and backquotes; the parser reads the text of a substitution again for each around it. */
export const MOST_LEVELS = 50;
/** How often each character may be read again, over all levels: the sum of the levels that characters stand in. */
const MOST_READ_AGAIN = 262_144;
/** Steps, and characters over 64, of walking and expanding. */
const MOST_WORK = 60_000;

let left = MOST_WORK;

/** Thrown when a classification has cost what it may: what was found before stands. */
export class WorkSpent extends Error {}

export function startWork(): void {
  left = MOST_WORK;
}

/** @throws WorkSpent */
export function spend(length = 0): void {
  left -= 1 + (length >> 6);
  if (left < 0) throw new WorkSpent("more work than a script is given");
}

/** Whether a script is small and flat enough to be parsed. Quotes are not told from text: that would be parsing. */
export function isReadable(script: string): boolean {
  if (script.length > MOST_SCRIPT_LENGTH) return false;
  let level = 0;
  let readAgain = 0;
  for (let at = 0; at < script.length; at++) {
    const one = script.charCodeAt(at);
    // ( and {; ) and }.
    if (one === 40 || one === 123) level++;
    else if ((one === 41 || one === 125) && level > 0) level--;
    readAgain += level;
    if (level > MOST_LEVELS || readAgain > MOST_READ_AGAIN) return false;
  }
  return true;
}
