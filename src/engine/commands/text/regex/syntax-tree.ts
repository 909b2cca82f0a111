/** Regular expressions as data: what the parser makes and both matchers read. Characters are code points. */

/** One character out of a set. */
export interface SetNode {
  readonly is: "set";
  /** The same set always has the same key. */
  readonly key: string;
  test(codePoint: number): boolean;
  /** As a class of a JavaScript expression with the `u` flag. */
  readonly source: string;
  /** The character, where the set holds just one. */
  readonly only?: string;
}

/** Places that an assertion asks for; `before…` and `after…` look at one side only. */
export type Place =
  | "line-start"
  | "line-end"
  | "text-start"
  | "text-end"
  | "word-edge"
  | "no-word-edge"
  | "word-start"
  | "word-end"
  | "not-after-word"
  | "not-before-word";

export type RegexNode =
  | SetNode
  | { readonly is: "sequence"; readonly parts: readonly RegexNode[] }
  | { readonly is: "choice"; readonly options: readonly RegexNode[] }
  | { readonly is: "repeat"; readonly body: RegexNode; readonly min: number; readonly max: number }
  | { readonly is: "group"; readonly body: RegexNode; readonly index: number }
  | { readonly is: "place"; readonly place: Place }
  | { readonly is: "reference"; readonly index: number };

export const NOTHING: RegexNode = { is: "sequence", parts: [] };

/** What is no character in UTF-8: a stray byte. Neither `.` nor `[^…]` takes it, as in the C library. */
const STRAY = "\\u{dc80}-\\u{dcff}";

/** The POSIX classes, as parts of a JavaScript class. */
export const CLASS_SOURCES: ReadonlyMap<string, string> = new Map([
  ["alpha", "\\p{Alphabetic}"],
  ["digit", "0-9"],
  ["alnum", "\\p{Alphabetic}\\p{Nd}"],
  ["upper", "\\p{Lu}"],
  ["lower", "\\p{Ll}"],
  ["space", "\\t-\\r \\u{1680}\\u{2000}-\\u{2006}\\u{2008}-\\u{200a}\\u{2028}\\u{2029}\\u{205f}\\u{3000}"],
  ["blank", "\\t \\u{1680}\\u{2000}-\\u{2006}\\u{2008}-\\u{200a}\\u{205f}\\u{3000}"],
  ["punct", "!-\\/:-@\\[-`\\{-~\\p{P}\\p{S}"],
  ["print", " -~\\u{a0}-\\u{d7ff}\\u{e000}-\\u{10ffff}"],
  ["graph", "!-~\\u{a1}-\\u{d7ff}\\u{e000}-\\u{10ffff}"],
  ["cntrl", "\\u{0}-\\u{1f}\\u{7f}-\\u{9f}"],
  ["xdigit", "0-9A-Fa-f"],
]);
export const WORD_SOURCE = "\\p{Alphabetic}\\p{Nd}_";
export const SPACE_SOURCE = CLASS_SOURCES.get("space") ?? "";

const tests = new Map<string, RegExp>();

/** Whether a code point is in a JavaScript class. */
export function isInClass(source: string, codePoint: number): boolean {
  let test = tests.get(source);
  if (test === undefined) {
    if (tests.size > 1_000) tests.clear();
    test = new RegExp(`^[${source}]$`, "u");
    tests.set(source, test);
  }
  return test.test(String.fromCodePoint(codePoint));
}

export function escapeForClass(codePoint: number): string {
  return `\\u{${codePoint.toString(16)}}`;
}

/** A set out of the inner part of a JavaScript class. */
export function setOf(inner: string, isNegated: boolean, ignoresCase: boolean): SetNode {
  const taken = (codePoint: number): boolean => {
    if (isInClass(inner, codePoint)) return true;
    return ignoresCase && otherCases(codePoint).some((other) => isInClass(inner, other));
  };
  if (!isNegated)
    return {
      is: "set",
      key: `${ignoresCase}[${inner}]`,
      test: taken,
      source: inner === "" ? "[]" : `[${inner}]`,
    };
  return {
    is: "set",
    key: `${ignoresCase}[^${inner}]`,
    test: (codePoint) => !(codePoint >= 0xdc80 && codePoint <= 0xdcff) && !taken(codePoint),
    source: `[^${inner}${STRAY}]`,
  };
}

/** A character as it is. */
export function literal(codePoint: number, ignoresCase: boolean): SetNode {
  const others = ignoresCase ? otherCases(codePoint) : [];
  const all = [codePoint, ...others];
  const base = {
    is: "set" as const,
    key: `${ignoresCase}=${codePoint}`,
    test: (other: number) => all.includes(other),
    source: all.length === 1 ? escapeForClass(codePoint) : `[${all.map(escapeForClass).join("")}]`,
  };
  return all.length === 1 ? { ...base, only: String.fromCodePoint(codePoint) } : base;
}

/** `.` */
export const ANY: SetNode = {
  is: "set",
  key: ".",
  test: (codePoint) => !(codePoint >= 0xdc80 && codePoint <= 0xdcff),
  source: `[^${STRAY}]`,
};

function otherCases(codePoint: number): number[] {
  const char = String.fromCodePoint(codePoint);
  const found: number[] = [];
  for (const other of [char.toLowerCase(), char.toUpperCase()]) {
    const point = other.codePointAt(0) ?? codePoint;
    if (other.length === String.fromCodePoint(point).length && point !== codePoint) found.push(point);
  }
  return found;
}
