/**
 * Arithmetic as the script writes it: where it ends, and which of its parts are expanded when. Subscripts are
 * kept apart, as text: only when the array is known is it known whether a subscript is a key or an expression,
 * and a key may hold anything, brackets and blanks too.
 */

/** An expression cut into what is expanded as one string, and the subscripts in it. */
export interface ArithmeticParts {
  /** The text; subscript number `n` stands in it as `[` NUL `n` `]`. Double quotes are gone. */
  readonly text: string;
  readonly subscripts: readonly string[];
  /** Whether anything in `text` has to be expanded before it can be read. */
  readonly expands: boolean;
}

/** What stands before the number of a subscript that was cut out. */
export const CUT = "\0";

const NAME_START = /[A-Za-z_]/;
const NAME_PART = /\w/;

/** The position after the closing character of what opens at `at` (`(`, `{`, `[`), or -1 where it is not closed. */
export function closingEnd(text: string, at: number): number {
  const close = text[at] === "(" ? ")" : text[at] === "{" ? "}" : "]";
  const open = text[at];
  let depth = 0;
  for (let i = at; i < text.length; ) {
    const char = text[i];
    if (char === open) depth++;
    else if (char === close && --depth === 0) return i + 1;
    const next = i === at ? i + 1 : skipQuoted(text, i);
    if (next === -1) return -1;
    i = next;
  }
  return -1;
}

/** The position after the quotation or expansion that starts at `at`, or after the one character there. */
export function skipQuoted(text: string, at: number): number {
  const char = text[at];
  if (char === "\\") return Math.min(at + 2, text.length);
  if (char === "'") return after(text.indexOf("'", at + 1));
  if (char === '"') return closingQuote(text, at, '"');
  if (char === "`") return closingQuote(text, at, "`");
  if (char === "$" && (text[at + 1] === "(" || text[at + 1] === "{")) return closingEnd(text, at + 1);
  return at + 1;
}

function closingQuote(text: string, at: number, quote: string): number {
  for (let i = at + 1; i < text.length; ) {
    if (text[i] === quote) return i + 1;
    if (text[i] === "'") {
      i++;
      continue;
    }
    const next = text[i] === quote ? i + 1 : text[i] === '"' ? i + 1 : skipQuoted(text, i);
    if (next === -1) return -1;
    i = next;
  }
  return -1;
}

function after(index: number): number {
  return index === -1 ? -1 : index + 1;
}

/** Where `((…` is closed by `))`, `from` being the position after the second `(`; `null`: these are two subshells. */
export function arithmeticEnd(text: string, from: number): number | null {
  const end = closingEnd(text, from - 1);
  return end !== -1 && text[end] === ")" ? end - 1 : null;
}

/** The three parts of `for ((…;…;…))`. */
export function forParts(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; ) {
    if (text[i] === ";") {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
    const open = text[i] === "(" || text[i] === "[";
    const next = open ? closingEnd(text, i) : skipQuoted(text, i);
    i = next === -1 ? i + 1 : next;
  }
  return [...parts, text.slice(start), "", ""].slice(0, 3);
}

/** Cuts an expression up. */
export function cutSubscripts(source: string): ArithmeticParts {
  const subscripts: string[] = [];
  let text = "";
  let expands = false;
  for (let i = 0; i < source.length; ) {
    const char = source[i] ?? "";
    if (char === '"') {
      i++;
    } else if (char === "$" && NAME_START.test(source[i + 1] ?? "")) {
      const end = nameEnd(source, i + 1);
      text += source.slice(i, end);
      expands = true;
      i = end;
    } else if (char === "$" || char === "`" || char === "\\") {
      const next = skipQuoted(source, i);
      const end = next === -1 ? source.length : next;
      text += source.slice(i, end);
      expands = true;
      i = end;
    } else if (NAME_PART.test(char)) {
      const end = nameEnd(source, i);
      text += source.slice(i, end);
      i = end;
      const close = NAME_START.test(char) && source[i] === "[" ? closingEnd(source, i) : -1;
      if (close !== -1) {
        text += `[${CUT}${subscripts.length}]`;
        subscripts.push(source.slice(i + 1, close - 1));
        i = close;
      }
    } else {
      text += char;
      i++;
    }
  }
  return { text, subscripts, expands };
}

function nameEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && NAME_PART.test(text[end] ?? "")) end++;
  return end;
}
