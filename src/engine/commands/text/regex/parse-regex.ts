/** POSIX regular expressions, basic and extended, with GNU's additions; `awk` takes escapes of its own. */
import {
  ANY,
  CLASS_SOURCES,
  escapeForClass,
  literal,
  NOTHING,
  type Place,
  type RegexNode,
  SPACE_SOURCE,
  setOf,
  WORD_SOURCE,
} from "./syntax-tree.ts";

export type RegexSyntax = "basic" | "extended" | "awk";

/** What is wrong with an expression, in the C library's words. */
export class RegexError extends Error {}

export interface ParsedRegex {
  readonly node: RegexNode;
  readonly groupCount: number;
}

const MAX_REPEATS = 32_767;
const PLACES: Readonly<Record<string, Place>> = {
  b: "word-edge",
  y: "word-edge",
  B: "no-word-edge",
  "<": "word-start",
  ">": "word-end",
  "`": "text-start",
  "'": "text-end",
};
const AWK_ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** @throws RegexError */
export function parseRegex(
  pattern: string,
  syntax: RegexSyntax,
  ignoresCase = false,
  firstGroup = 1,
): ParsedRegex {
  const chars = Array.from(pattern);
  const isBasic = syntax === "basic";
  let at = 0;
  let groups = firstGroup - 1;
  let depth = 0;
  const closed = new Set<number>();

  const startsWith = (text: string): boolean => {
    for (let k = 0; k < text.length; k++) if (chars[at + k] !== text[k]) return false;
    return true;
  };
  const opener = isBasic ? "\\(" : "(";
  const closer = isBasic ? "\\)" : ")";
  const bar = isBasic ? "\\|" : "|";

  const choice = (): RegexNode => {
    const options = [sequence()];
    while (startsWith(bar)) {
      at += bar.length;
      options.push(sequence());
    }
    const [first = NOTHING] = options;
    return options.length === 1 ? first : { is: "choice", options };
  };

  const sequence = (): RegexNode => {
    const parts: RegexNode[] = [];
    let isStart = true;
    while (at < chars.length && !startsWith(bar) && !(startsWith(closer) && (depth > 0 || !isAwkLike()))) {
      const one = atom(isStart);
      if (one === null) continue;
      const isAnchor = one.is === "place" && one.place === "line-start";
      const repeated = isBasic && isStart && isAnchor ? one : repeats(one);
      parts.push(repeated);
      isStart = isBasic && isStart && isAnchor;
    }
    const [first = NOTHING] = parts;
    return parts.length === 1 ? first : { is: "sequence", parts };
  };
  // A `)` without its `(` is an ordinary character to awk alone.
  const isAwkLike = (): boolean => syntax === "awk";

  const atom = (isStart: boolean): RegexNode | null => {
    const char = chars[at] ?? "";
    if (startsWith(opener)) {
      at += opener.length;
      depth++;
      const index = ++groups;
      const body = choice();
      if (!startsWith(closer)) throw new RegexError("Unmatched ( or \\(");
      at += closer.length;
      depth--;
      closed.add(index);
      return { is: "group", body, index };
    }
    at++;
    switch (char) {
      case ".":
        return ANY;
      case "[":
        return bracket();
      case "*":
        if (isBasic && isStart) return literal(42, ignoresCase);
        if (isStart) return null;
        return literal(42, ignoresCase);
      case "+":
      case "?":
        if (!isBasic && isStart) return null;
        break;
      case "^":
        if (!isBasic || isStart) return { is: "place", place: "line-start" };
        break;
      case "$":
        if (!isBasic || at >= chars.length || startsWith(closer) || startsWith(bar))
          return { is: "place", place: "line-end" };
        break;
      case "\\":
        return escaped(isStart);
      default:
    }
    return literal(char.codePointAt(0) ?? 0, ignoresCase);
  };

  const escaped = (isStart: boolean): RegexNode => {
    const char = chars[at++];
    if (char === undefined) {
      if (syntax === "awk") return literal(92, false);
      throw new RegexError("Trailing backslash");
    }
    if (syntax === "awk") {
      if (char === "y") return { is: "place", place: "word-edge" };
      const number = awkEscape(char);
      if (number !== null) return literal(number, ignoresCase);
    } else if (char >= "1" && char <= "9") {
      const index = Number(char) + firstGroup - 1;
      if (!closed.has(index)) throw new RegexError("Invalid back reference");
      return { is: "reference", index };
    } else if (char === "y") return literal(121, ignoresCase);
    if (char === "w") return setOf(WORD_SOURCE, false, false);
    if (char === "W") return setOf(WORD_SOURCE, true, false);
    if (char === "s") return setOf(SPACE_SOURCE, false, false);
    if (char === "S") return setOf(SPACE_SOURCE, true, false);
    const place = PLACES[char];
    if (place !== undefined) return { is: "place", place };
    if (isBasic && char === "{" && isStart) throw new RegexError("Invalid preceding regular expression");
    if (isBasic && char === "{") at--;
    return literal(char.codePointAt(0) ?? 0, ignoresCase);
  };

  const awkEscape = (char: string): number | null => {
    const known = AWK_ESCAPES[char];
    if (known !== undefined) return known;
    if (char >= "0" && char <= "7") {
      let digits = char;
      while (digits.length < 3 && /^[0-7]$/.test(chars[at] ?? "")) digits += chars[at++];
      return Number.parseInt(digits, 8);
    }
    if (char === "x" && /^[0-9a-f]$/i.test(chars[at] ?? "")) {
      let digits = "";
      while (digits.length < 2 && /^[0-9a-f]$/i.test(chars[at] ?? "")) digits += chars[at++];
      return Number.parseInt(digits, 16);
    }
    return null;
  };

  const repeats = (one: RegexNode): RegexNode => {
    let body = one;
    for (;;) {
      let range: readonly [number, number] | null = null;
      if (startsWith("*")) {
        at++;
        range = [0, Number.POSITIVE_INFINITY];
      } else if (startsWith(isBasic ? "\\+" : "+")) {
        at += isBasic ? 2 : 1;
        range = [1, Number.POSITIVE_INFINITY];
      } else if (startsWith(isBasic ? "\\?" : "?")) {
        at += isBasic ? 2 : 1;
        range = [0, 1];
      } else if (startsWith(isBasic ? "\\{" : "{")) range = interval();
      if (range === null) return body;
      const [min, max] = range;
      // Something of an assertion repeated is the assertion, or nothing.
      if (body.is === "place") body = min === 0 ? NOTHING : body;
      else body = { is: "repeat", body, min, max };
    }
  };

  /** The numbers of `{1,2}`; null where braces are just characters. */
  const interval = (): readonly [number, number] | null => {
    const rest = chars.slice(at + (isBasic ? 2 : 1), at + 24).join("");
    const match = (isBasic ? /^(\d*)(,?)(\d*)\\\}/ : /^(\d*)(,?)(\d*)\}/).exec(rest);
    if (match === null || (match[1] === "" && match[2] === "")) {
      if (isBasic) throw new RegexError(rest.includes("\\}") ? "Invalid content of \\{\\}" : "Unmatched \\{");
      return null;
    }
    const [, low = "", comma = "", high = ""] = match;
    const min = low === "" ? 0 : Number(low);
    const max = comma === "" ? min : high === "" ? Number.POSITIVE_INFINITY : Number(high);
    if (min > max) throw new RegexError("Invalid content of \\{\\}");
    if (min > MAX_REPEATS || (max > MAX_REPEATS && max !== Number.POSITIVE_INFINITY))
      throw new RegexError("Regular expression too big");
    at += (isBasic ? 2 : 1) + match[0].length;
    return [min, max];
  };

  const bracket = (): RegexNode => {
    const isNegated = chars[at] === "^";
    if (isNegated) at++;
    let inner = "";
    const start = at;
    for (;;) {
      const char = chars[at];
      if (char === undefined) throw new RegexError("Unmatched [, [^, [:, [., or [=");
      if (char === "]" && at > start) break;
      if (char === "[" && chars[at + 1] === ":") {
        const end = chars.indexOf("]", at);
        const name = chars.slice(at + 2, end - 1).join("");
        if (end > 0 && chars[end - 1] === ":" && end - 1 > at + 1) {
          const asked = ignoresCase && (name === "upper" || name === "lower") ? "alpha" : name;
          const source = CLASS_SOURCES.get(asked);
          if (source === undefined) throw new RegexError("Invalid character class name");
          inner += source;
          at = end + 1;
          continue;
        }
      }
      const from = member();
      if (chars[at] === "-" && chars[at + 1] !== "]" && chars[at + 1] !== undefined) {
        at++;
        const to = member();
        if (to < from) throw new RegexError("Invalid range end");
        inner += `${escapeForClass(from)}-${escapeForClass(to)}`;
      } else inner += escapeForClass(from);
    }
    at++;
    return setOf(inner, isNegated, ignoresCase);
  };

  /** One character of a bracket expression. */
  const member = (): number => {
    const char = chars[at++] ?? "";
    const next = chars[at];
    if (char === "[" && (next === "." || next === "=")) {
      const end = chars.indexOf(next, at + 1);
      if (end > 0 && chars[end + 1] === "]") {
        const [only = ""] = chars.slice(at + 1, end);
        at = end + 2;
        return only.codePointAt(0) ?? 0;
      }
    }
    if (char === "\\" && syntax === "awk" && next !== undefined) {
      at++;
      return awkEscape(next) ?? next.codePointAt(0) ?? 0;
    }
    return char.codePointAt(0) ?? 0;
  };

  const node = choice();
  if (at < chars.length) throw new RegexError("Unmatched ) or \\)");
  return { node, groupCount: groups - firstGroup + 1 };
}
