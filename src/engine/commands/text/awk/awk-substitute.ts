/** Replacing matches in text, as `sub`, `gsub` and `gensub` do. */
import type { Regex } from "../regex/regex.ts";

export type Replace = (match: string, groups: readonly string[]) => string;

/** Puts a replacement for one match, or for all from a number on where `isGlobal`. */
export function substitute(
  text: string,
  regex: Regex,
  replace: Replace,
  isGlobal: boolean,
  number: number,
  withGroups: boolean,
): { text: string; count: number } {
  let result = "";
  let copied = 0;
  let met = 0;
  let count = 0;
  let lastEnd = -1;
  for (let at = 0; at <= text.length; ) {
    const found = regex.find(text, at, withGroups);
    if (found === null) break;
    const { start, end } = found;
    const isEmpty = start === end;
    // Nothing right behind a match is no match of its own.
    if (!(isEmpty && start === lastEnd)) {
      met++;
      if (met >= number) {
        const groups = found.groups.map(([from, to]) => (from < 0 ? "" : text.slice(from, to)));
        result += text.slice(copied, start) + replace(text.slice(start, end), groups);
        copied = end;
        count++;
        if (!isGlobal) break;
      }
    }
    lastEnd = end;
    at = isEmpty ? end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) : end;
  }
  return { text: result + text.slice(copied), count };
}

/** The replacement of `gensub`: `\1` is a group, `&` and `\0` the match. */
export function toGroups(replacement: string): Replace {
  return (match, groups) =>
    replacement.replace(/\\(\d)|\\([\s\S])|&/g, (found, digit?: string, other?: string) => {
      if (digit !== undefined) return digit === "0" ? match : (groups[Number(digit) - 1] ?? "");
      if (other !== undefined) return other === "&" || other === "\\" ? other : found;
      return match;
    });
}
