/**
 * Perl's expressions (`grep -P`) over JavaScript's matcher. What JavaScript cannot do, recursion and conditions, is
 * refused by name. Longer than most files because it reads one grammar from front to back.
 */

import { RegexError } from "./parse-regex.ts";
import type { Regex, RegexMatch } from "./regex.ts";
import { CLASS_SOURCES, escapeForClass } from "./syntax-tree.ts";

const BLANK = "\\t \\u{a0}\\u{1680}\\u{180e}\\u{2000}-\\u{200a}\\u{202f}\\u{205f}\\u{3000}";
const VERTICAL = "\\n-\\r\\u{85}\\u{2028}\\u{2029}";
const CLASSES: Readonly<Record<string, string>> = {
  d: "0-9",
  w: "0-9A-Za-z_",
  s: "\\t-\\r ",
  h: BLANK,
  v: VERTICAL,
};
const WORD = "0-9A-Za-z_";

interface Modes {
  i: boolean;
  s: boolean;
  x: boolean;
}

/** @throws RegexError */
export function compilePerlRegex(pattern: string, ignoresCase: boolean): Regex {
  const translator = new Translator(pattern, ignoresCase);
  const source = translator.translate();
  try {
    return new PerlRegex(new RegExp(source, "dgu"), translator.keepGroup);
  } catch {
    throw new RegexError("invalid pattern");
  }
}

class PerlRegex implements Regex {
  readonly groupCount = 0;
  readonly #search: RegExp;
  readonly #keepGroups: readonly number[];
  constructor(search: RegExp, keepGroups: readonly number[]) {
    this.#search = search;
    this.#keepGroups = keepGroups;
  }
  test(text: string): boolean {
    this.#search.lastIndex = 0;
    return this.#search.test(text);
  }
  find(text: string, from = 0): RegexMatch | null {
    this.#search.lastIndex = from;
    const found = this.#search.exec(text);
    if (found === null) return null;
    let start = found.index;
    for (const group of this.#keepGroups) start = Math.max(start, found.indices?.[group]?.[0] ?? 0);
    return { start, end: found.index + found[0].length, groups: [] };
  }
}

class Translator {
  /** Groups whose start is where the match begins, for `\K`. */
  readonly keepGroup: number[] = [];
  readonly #pattern: string;
  #at = 0;
  #modes: Modes;
  /** Groups written so far, ours and theirs. */
  #written = 0;
  /** Number of a group in the pattern → number in the translation. */
  readonly #groups: number[] = [0];
  readonly #names = new Map<string, number>();

  constructor(pattern: string, ignoresCase: boolean) {
    this.#pattern = pattern;
    this.#modes = { i: ignoresCase, s: false, x: false };
  }

  translate(): string {
    const source = this.#choice();
    if (this.#at < this.#pattern.length) throw new RegexError("unmatched closing parenthesis");
    return source;
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#pattern);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  #choice(): string {
    const kept = { ...this.#modes };
    let source = "";
    for (;;) {
      if (this.#at >= this.#pattern.length || this.#pattern[this.#at] === ")") break;
      if (this.#pattern[this.#at] === "|") {
        this.#at++;
        source += "|";
      } else source += this.#piece();
    }
    this.#modes = kept;
    return source;
  }

  #piece(): string {
    if (this.#modes.x && this.#take(/\s+|#[^\n]*/y) !== null) return "";
    if (this.#take(/\(\?#[^)]*\)/y) !== null) return "";
    const quoted = this.#take(/\\Q([\s\S]*?)(?:\\E|$)/y);
    if (quoted !== null) return Array.from(quoted[1] ?? "", (char) => this.#literal(char)).join("");
    if (this.#take(/\\E/y) !== null) return "";
    const writtenBefore = this.#written;
    const atom = this.#atom();
    if (this.#modes.x) this.#take(/\s+/y);
    const repeat = this.#take(/([*+?]|\{\d+(?:,\d*)?\})([?+]?)/y);
    if (repeat === null) return atom;
    const [, count = "", kind = ""] = repeat;
    if (atom === "") throw new RegexError("quantifier does not follow a repeatable item");
    if (kind !== "+") return `(?:${atom})${count}${kind}`;
    return this.#atomic(`(?:${atom})${count}`, writtenBefore);
  }

  /** A group that gives nothing back: JavaScript has none, but what a look-ahead took it keeps. */
  #atomic(source: string, writtenBefore: number): string {
    const index = writtenBefore + 1;
    // The group opens in front of those that the source holds: they move on by one.
    const moved = source.replace(/\\(\d+)(?=\))/g, (whole, digits: string) =>
      Number(digits) > writtenBefore ? `\\${Number(digits) + 1}` : whole,
    );
    this.#written++;
    for (const [theirs, ours] of this.#groups.entries())
      if (theirs > 0 && ours > writtenBefore) this.#groups[theirs] = ours + 1;
    for (const [place, ours] of this.keepGroup.entries())
      if (ours > writtenBefore) this.keepGroup[place] = ours + 1;
    return `(?:(?=(${moved}))(?:\\${index}))`;
  }

  #atom(): string {
    const char = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += char.length;
    switch (char) {
      case ".":
        return this.#modes.s ? "[^]" : "[^\\n]";
      case "^":
        return "(?<![^\\n])";
      case "$":
        return "(?![^\\n])";
      case "[":
        return this.#bracket();
      case "(":
        return this.#group();
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
        throw new RegexError("quantifier does not follow a repeatable item");
      default:
        return this.#literal(char);
    }
  }

  #literal(char: string): string {
    const codes = new Set([char]);
    if (this.#modes.i) {
      for (const other of [char.toLowerCase(), char.toUpperCase()])
        if (Array.from(other).length === 1) codes.add(other);
    }
    const sources = Array.from(codes, (one) => escapeForClass(one.codePointAt(0) ?? 0));
    return sources.length === 1 ? (sources[0] ?? "") : `[${sources.join("")}]`;
  }

  #group(): string {
    const close = (source: string): string => {
      if (this.#pattern[this.#at] !== ")") throw new RegexError("missing closing parenthesis");
      this.#at++;
      return source;
    };
    if (this.#take(/\?:|\?\|/y) !== null) return close(`(?:${this.#choice()})`);
    const look = this.#take(/\?(=|!|<=|<!)/y);
    if (look !== null) return close(`(?${look[1]}${this.#choice()})`);
    if (this.#take(/\?>/y) !== null) {
      const before = this.#written;
      return this.#atomic(close(this.#choice()), before);
    }
    const modes = this.#take(/\?([imsxn]*)(?:-([imsxn]+))?([:)])/y);
    if (modes !== null) {
      const [, on = "", off = "", end] = modes;
      const kept = { ...this.#modes };
      const next = { ...this.#modes };
      for (const mode of ["i", "s", "x"] as const) {
        if (on.includes(mode)) next[mode] = true;
        if (off.includes(mode)) next[mode] = false;
      }
      this.#modes = next;
      if (end === ")") return "";
      const source = `(?:${this.#choice()})`;
      this.#modes = kept;
      return close(source);
    }
    const named = this.#take(/\?P?[<'](\w+)[>']/y);
    if (named === null && this.#take(/\?P=(\w+)\)/y) !== null) {
      const name = /\?P=(\w+)\)$/.exec(this.#pattern.slice(0, this.#at))?.[1] ?? "";
      return this.#reference(this.#names.get(name));
    }
    if (named === null && this.#pattern[this.#at] === "?")
      throw new RegexError("recursion, conditions and callouts are not available in this sandbox");
    if (named === null && this.#pattern[this.#at] === "*")
      throw new RegexError("verbs such as (*SKIP) are not available in this sandbox");
    const index = ++this.#written;
    const theirs = this.#groups.push(index) - 1;
    if (named !== null) this.#names.set(named[1] ?? "", theirs);
    return close(`(${this.#choice()})`);
  }

  #reference(theirs: number | undefined): string {
    const ours = theirs === undefined ? undefined : this.#groups[theirs];
    if (ours === undefined) throw new RegexError("reference to non-existent subpattern");
    return `(?:\\${ours})`;
  }

  #escape(): string {
    if (this.#take(/K/y) !== null) {
      this.keepGroup.push(++this.#written);
      return "()";
    }
    if (this.#take(/A/y) !== null) return "(?<![^])";
    if (this.#take(/z/y) !== null) return "(?![^])";
    if (this.#take(/Z/y) !== null) return "(?=\\n?(?![^]))";
    if (this.#take(/b/y) !== null) return `(?:(?<![${WORD}])(?=[${WORD}])|(?<=[${WORD}])(?![${WORD}]))`;
    if (this.#take(/B/y) !== null) return `(?:(?<![${WORD}])(?![${WORD}])|(?<=[${WORD}])(?=[${WORD}]))`;
    if (this.#take(/R/y) !== null) return `(?:\\r\\n|[${VERTICAL}])`;
    if (this.#take(/N/y) !== null) return "[^\\n]";
    if (this.#take(/X/y) !== null) return "(?:[^]\\p{M}*)";
    const number = this.#take(/g\{?(-?\d+)\}?|([1-9]\d?)/y);
    if (number !== null) {
      const asked = Number(number[1] ?? number[2]);
      return this.#reference(asked < 0 ? this.#groups.length + asked : asked);
    }
    const name = this.#take(/[gk](?:\{(\w+)\}|<(\w+)>|'(\w+)')/y);
    if (name !== null) return this.#reference(this.#names.get(name[1] ?? name[2] ?? name[3] ?? ""));
    const set = this.#setEscape();
    if (set !== null) return `[${set}]`;
    return this.#literal(String.fromCodePoint(this.#charEscape()));
  }

  /** `\d`, `\W`, `\p{L}`: as part of a class. */
  #setEscape(): string | null {
    const property = this.#take(/([pP])(?:\{(\^?)(\w+)\}|(\w))/y);
    if (property !== null) {
      const [, letter = "p", negation = "", long, short] = property;
      const isNegated = (letter === "P") !== (negation === "^");
      const asked = long ?? short ?? "";
      const source = `\\${isNegated ? "P" : "p"}{${asked}}`;
      try {
        new RegExp(source, "u");
        return source;
      } catch {
        return `\\${isNegated ? "P" : "p"}{Script=${asked}}`;
      }
    }
    const letter = this.#take(/[dDwWsShHvV]/y)?.[0];
    if (letter === undefined) return null;
    const inner = CLASSES[letter.toLowerCase()] ?? "";
    return letter === letter.toLowerCase() ? inner : complementOf(inner);
  }

  #charEscape(): number {
    const code = this.#take(/x\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{0,2})|o\{([0-7]+)\}|0([0-7]{0,2})/y);
    if (code !== null) {
      const [, long, short, octal, zero] = code;
      if (long !== undefined || short !== undefined) return Number.parseInt(long ?? short ?? "0", 16) || 0;
      return Number.parseInt(octal ?? zero ?? "0", 8) || 0;
    }
    const control = this.#take(/c(.)/y);
    if (control !== null) return (control[1] ?? "@").toUpperCase().charCodeAt(0) ^ 64;
    const char = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 92);
    if (this.#at >= this.#pattern.length) throw new RegexError("\\ at end of pattern");
    this.#at += char.length;
    const known = { a: 7, e: 27, f: 12, n: 10, r: 13, t: 9 }[char];
    if (known === undefined && /[A-Za-z]/.test(char))
      throw new RegexError("unrecognized character follows \\");
    return known ?? char.codePointAt(0) ?? 0;
  }

  #bracket(): string {
    const isNegated = this.#take(/\^/y) !== null;
    let inner = "";
    for (let isFirst = true; ; isFirst = false) {
      if (this.#at >= this.#pattern.length) throw new RegexError("missing terminating ] for character class");
      if (!isFirst && this.#take(/\]/y) !== null) break;
      const posix = this.#take(/\[:(\^?)(\w+):\]/y);
      if (posix !== null) {
        const source = CLASS_SOURCES.get(posix[2] ?? "") ?? (posix[2] === "word" ? WORD : undefined);
        if (source === undefined) throw new RegexError("unknown POSIX class name");
        inner += posix[1] === "^" ? complementOf(source) : source;
        continue;
      }
      const from = this.#member();
      if (typeof from === "string") {
        inner += from;
        continue;
      }
      const isRange =
        this.#pattern[this.#at] === "-" && !/^-(\]|$)/.test(this.#pattern.slice(this.#at, this.#at + 2));
      if (!isRange) {
        inner += this.#cases(from, from);
        continue;
      }
      this.#at++;
      const to = this.#member();
      if (typeof to === "string") inner += `${escapeForClass(from)}\\-${to}`;
      else if (to < from) throw new RegexError("range out of order in character class");
      else inner += this.#cases(from, to);
    }
    return `[${isNegated ? "^" : ""}${inner}]`;
  }

  /** A range, with the other cases of its letters where case is ignored. */
  #cases(from: number, to: number): string {
    let source = from === to ? escapeForClass(from) : `${escapeForClass(from)}-${escapeForClass(to)}`;
    if (!this.#modes.i || to - from > 512) return source;
    for (let point = from; point <= to; point++) {
      const char = String.fromCodePoint(point);
      for (const other of [char.toLowerCase(), char.toUpperCase()])
        if (other !== char && Array.from(other).length === 1)
          source += escapeForClass(other.codePointAt(0) ?? 0);
    }
    return source;
  }

  #member(): number | string {
    if (this.#take(/\\/y) === null) {
      const point = this.#pattern.codePointAt(this.#at) ?? 0;
      this.#at += point > 0xffff ? 2 : 1;
      return point;
    }
    if (this.#take(/b/y) !== null) return 8;
    const set = this.#setEscape();
    if (set !== null) return set;
    const octal = this.#take(/[1-7][0-7]{0,2}/y);
    return octal === null ? this.#charEscape() : Number.parseInt(octal[0], 8);
  }
}

/** Everything but what the parts of a class take, as parts of a class. Only for the classes of ASCII and blanks. */
function complementOf(inner: string): string {
  const test = new RegExp(`^[${inner}]$`, "u");
  let source = "";
  let start = -1;
  for (let point = 0; point <= 0x3001; point++) {
    const isTaken = test.test(String.fromCodePoint(point));
    if (!isTaken && start < 0) start = point;
    if (isTaken && start >= 0) {
      source += `${escapeForClass(start)}-${escapeForClass(point - 1)}`;
      start = -1;
    }
  }
  return `${source}${start >= 0 ? escapeForClass(start) : escapeForClass(0x3001)}-${escapeForClass(0x10ffff)}`;
}
