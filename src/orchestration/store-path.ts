/** Paths of values and names of locks: the rule, and how one becomes the name of a file. */
import { SandboxError } from "../shared/errors.ts";

const SEGMENT = /^(?!\.)[A-Za-z0-9_\-.:@=+~]{1,120}(?<!\.)$/;

/** The segments of a path. @throws SandboxError `LEDGER_INVALID`. */
export function toSegments(path: unknown): string[] {
  const segments = typeof path === "string" ? path.split("/") : [];
  if (segments.length > 0 && segments.every((segment) => SEGMENT.test(segment))) return segments;
  throw new SandboxError(
    "LEDGER_INVALID",
    `A path in a store is segments of 1 to 120 of A-Z a-z 0-9 _ - . : @ = + ~ joined by "/", without "." at their ends; ${describe(path)} is not.`,
    { path: typeof path === "string" ? path.slice(0, 200) : typeof path },
  );
}

function describe(path: unknown): string {
  return typeof path === "string" ? JSON.stringify(path.slice(0, 200)) : `a value of type ${typeof path}`;
}

// Two characters each, so that 120 stay below the 255 bytes of a name. Case folds on some file systems, and a colon
// means something on others.
const MARKED = new Map([
  [":", "^0"],
  ["@", "^1"],
  ["=", "^2"],
  ["+", "^3"],
  // The file of the value at "a" must not be the directory of what lies below "a.json".
  [".", "^4"],
]);
const UNMARKED = new Map([...MARKED].map(([character, mark]) => [mark, character]));

/** A segment as a name that every file system keeps apart from all others. */
export function toFileName(segment: string): string {
  return segment.replace(
    /[A-Z:@=+.]/g,
    (character) => MARKED.get(character) ?? `^${character.toLowerCase()}`,
  );
}

/** The segment of such a name; undefined for a name that none has. */
export function fromFileName(name: string): string | undefined {
  if (!/^(?:[a-z0-9_\-~]|\^[a-z0-4])+$/.test(name)) return undefined;
  const segment = name.replace(
    /\^(.)/g,
    (mark, letter: string) => UNMARKED.get(mark) ?? letter.toUpperCase(),
  );
  return SEGMENT.test(segment) ? segment : undefined;
}
