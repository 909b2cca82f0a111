/**
 * POSIX regular expressions over text: leftmost and longest, whatever the order of alternatives. Expressions in which
 * backtracking can neither run away nor miss the longest match are given to JavaScript's own matcher, which is fastest;
 * all others are found by an automaton, and JavaScript only tells the groups of a match that is known to be there.
 */
import { type Automaton, buildAutomaton } from "./automaton.ts";
import { parseRegex, type RegexSyntax } from "./parse-regex.ts";
import { type Place, type RegexNode, WORD_SOURCE } from "./syntax-tree.ts";

/** Where a match and its groups lie; -1 for a group that took no part. */
export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** Start and end of each group, from group 1 on. */
  readonly groups: readonly (readonly [number, number])[];
}

export interface RegexOptions {
  readonly syntax: RegexSyntax;
  readonly ignoresCase?: boolean;
  /** `^` and `$` hold at every line feed too. */
  readonly isMultiline?: boolean;
}

export interface Regex {
  readonly groupCount: number;
  test(text: string): boolean;
  /** The first match at or behind a place. Groups are told only where they are asked for. */
  find(text: string, from?: number, withGroups?: boolean): RegexMatch | null;
}

/** Unbounded repeats up to which backtracking stays cheap. */
const MAX_SIMPLE_REPEATS = 3;
const NO_GROUPS: readonly (readonly [number, number])[] = [];

const PLACE_SOURCES: Readonly<Record<Exclude<Place, "line-start" | "line-end">, string>> = {
  "text-start": "(?<![^])",
  "text-end": "(?![^])",
  "word-edge": `(?:(?<![${WORD_SOURCE}])(?=[${WORD_SOURCE}])|(?<=[${WORD_SOURCE}])(?![${WORD_SOURCE}]))`,
  "no-word-edge": `(?:(?<![${WORD_SOURCE}])(?![${WORD_SOURCE}])|(?<=[${WORD_SOURCE}])(?=[${WORD_SOURCE}]))`,
  "word-start": `(?<![${WORD_SOURCE}])(?=[${WORD_SOURCE}])`,
  "word-end": `(?<=[${WORD_SOURCE}])(?![${WORD_SOURCE}])`,
  "not-after-word": `(?<![${WORD_SOURCE}])`,
  "not-before-word": `(?![${WORD_SOURCE}])`,
};

/** @throws RegexError */
export function compileRegex(pattern: string, options: RegexOptions): Regex {
  const { node, groupCount } = parseRegex(pattern, options.syntax, options.ignoresCase);
  return regexOf(node, groupCount, options.isMultiline ?? false);
}

/** The matcher of a parsed expression. */
export function regexOf(node: RegexNode, groupCount: number, isMultiline: boolean): Regex {
  const word = toLiteral(node);
  if (word !== null && word !== "") return new LiteralRegex(word);
  const source = toSource(node, isMultiline);
  const automaton = isSimple(node) ? null : buildAutomaton(node, isMultiline);
  return new GeneralRegex(source, groupCount, automaton);
}

class LiteralRegex implements Regex {
  readonly groupCount = 0;
  readonly #word: string;
  constructor(word: string) {
    this.#word = word;
  }
  test(text: string): boolean {
    return text.includes(this.#word);
  }
  find(text: string, from = 0): RegexMatch | null {
    const start = text.indexOf(this.#word, from);
    return start < 0 ? null : { start, end: start + this.#word.length, groups: NO_GROUPS };
  }
}

class GeneralRegex implements Regex {
  readonly groupCount: number;
  readonly #source: string;
  readonly #automaton: Automaton | null;
  readonly #search: RegExp;
  #searchWithGroups: RegExp | undefined;
  #sticky: RegExp | undefined;
  #whole: RegExp | undefined;

  constructor(source: string, groupCount: number, automaton: Automaton | null) {
    this.#source = source;
    this.groupCount = groupCount;
    this.#automaton = automaton;
    this.#search = new RegExp(source, "gu");
  }

  test(text: string): boolean {
    if (this.#automaton !== null) return this.#automaton.earliestEnd(text, 0) >= 0;
    this.#search.lastIndex = 0;
    return this.#search.test(text);
  }

  find(text: string, from = 0, withGroups = false): RegexMatch | null {
    const automaton = this.#automaton;
    if (automaton === null) {
      if (withGroups && this.groupCount > 0) {
        this.#searchWithGroups ??= new RegExp(this.#source, "dgu");
        this.#searchWithGroups.lastIndex = from;
        return toMatch(this.#searchWithGroups.exec(text));
      }
      this.#search.lastIndex = from;
      const found = this.#search.exec(text);
      return found === null
        ? null
        : { start: found.index, end: found.index + found[0].length, groups: NO_GROUPS };
    }
    const firstEnd = automaton.earliestEnd(text, from);
    if (firstEnd < 0) return null;
    for (let start = from; start <= firstEnd; start++) {
      const end = automaton.longest(text, start);
      if (end >= 0) {
        if (!withGroups || this.groupCount === 0) return { start, end, groups: NO_GROUPS };
        return this.#groupsOf(text, start, end);
      }
      if ((text.codePointAt(start) ?? 0) > 0xffff) start++;
    }
    return null;
  }

  #groupsOf(text: string, start: number, end: number): RegexMatch {
    this.#sticky ??= new RegExp(this.#source, "duy");
    this.#sticky.lastIndex = start;
    const quick = toMatch(this.#sticky.exec(text));
    if (quick !== null && quick.end === end) return quick;
    this.#whole ??= new RegExp(`(?:${this.#source})(?![^])`, "duy");
    this.#whole.lastIndex = start;
    const found = toMatch(this.#whole.exec(text.slice(0, end)));
    return (
      found ?? { start, end, groups: new Array<readonly [number, number]>(this.groupCount).fill([-1, -1]) }
    );
  }
}

function toMatch(found: RegExpExecArray | null): RegexMatch | null {
  if (found === null) return null;
  const groups: (readonly [number, number])[] = [];
  for (let index = 1; index < found.length; index++) groups.push(found.indices?.[index] ?? [-1, -1]);
  return { start: found.index, end: found.index + found[0].length, groups };
}

function toLiteral(node: RegexNode): string | null {
  if (node.is === "set") return node.only ?? null;
  if (node.is !== "sequence") return null;
  let word = "";
  for (const part of node.parts) {
    if (part.is !== "set" || part.only === undefined) return null;
    word += part.only;
  }
  return word;
}

/** Whether greedy backtracking finds the longest match, and soon: only single characters are repeated, none is a choice. */
function isSimple(node: RegexNode): boolean {
  let repeats = 0;
  const look = (one: RegexNode): boolean => {
    switch (one.is) {
      case "set":
      case "place":
        return true;
      case "sequence":
        return one.parts.every(look);
      case "group":
        return look(one.body);
      case "repeat":
        if (one.body.is !== "set") return false;
        if (one.max > 100) repeats++;
        return repeats <= MAX_SIMPLE_REPEATS;
      default:
        return false;
    }
  };
  return look(node);
}

function toSource(node: RegexNode, isMultiline: boolean): string {
  const write = (one: RegexNode): string => {
    switch (one.is) {
      case "set":
        return one.source;
      case "sequence":
        return one.parts.map(write).join("");
      case "choice":
        return `(?:${one.options.map(write).join("|")})`;
      case "group":
        return `(${write(one.body)})`;
      case "reference":
        return `(?:\\${one.index})`;
      case "repeat": {
        const max = one.max === Number.POSITIVE_INFINITY ? "" : String(one.max);
        return `(?:${write(one.body)}){${one.min},${max}}`;
      }
      case "place":
        if (one.place === "line-start") return isMultiline ? "(?<![^\\n])" : "(?<![^])";
        if (one.place === "line-end") return isMultiline ? "(?![^\\n])" : "(?![^])";
        return PLACE_SOURCES[one.place];
    }
  };
  return write(node);
}
