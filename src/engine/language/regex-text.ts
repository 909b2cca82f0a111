/**
 * The regular expression after `=~`: one word up to the next blank outside parentheses, whatever it holds. Read as
 * any other word, `#` would start a comment, `;` end the command, `\\(` and `]` confuse.
 */
import { skipQuoted } from "./arithmetic-text.ts";

/** The position after the expression that starts at `from`. */
export function regexEnd(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; ) {
    const char = text[i] ?? "";
    if (depth === 0 && /\s/.test(char)) return i;
    if (char === "(") depth++;
    if (char === ")") depth = Math.max(0, depth - 1);
    const bracket = char === "[" && depth > 0 ? bracketEnd(text, i) : -1;
    const next = bracket !== -1 ? bracket : skipQuoted(text, i);
    i = next === -1 ? i + 1 : next;
  }
  return text.length;
}

function bracketEnd(text: string, open: number): number {
  const found = /^\[\^?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]/s.exec(text.slice(open))?.[0];
  return found === undefined || found.includes("\n") ? -1 : open + found.length;
}

/** Whether the tokens so far end in `[[ … =~`. */
export function expectsRegex(tokens: readonly { readonly type: string; readonly value: string }[]): boolean {
  const last = tokens.at(-1);
  if (last?.value !== "=~" || last.type !== "WORD") return false;
  for (let i = tokens.length - 2; i >= 0; i--) {
    const type = tokens[i]?.type;
    if (type === "DBRACK_START") return true;
    if (type === "DBRACK_END" || type === "SEMICOLON") return false;
  }
  return false;
}
