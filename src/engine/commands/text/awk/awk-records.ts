/** How `awk` takes text apart: into records, and a record into fields. */

import { RegexError } from "../regex/parse-regex.ts";
import { compileRegex, type Regex } from "../regex/regex.ts";
import { AwkError } from "./awk-tree.ts";

const regexes = new Map<string, Regex>();

/** The matcher of an expression given as text. */
export function awkRegex(source: string, ignoresCase: boolean): Regex {
  const key = ignoresCase ? `i${source}` : `c${source}`;
  let regex = regexes.get(key);
  if (regex === undefined) {
    try {
      regex = compileRegex(source, { syntax: "awk", ignoresCase });
    } catch (error) {
      if (error instanceof RegexError)
        throw new AwkError(`cmd. line:1: fatal: ${error.message}: /${source}/`);
      throw error;
    }
    if (regexes.size > 500) regexes.clear();
    regexes.set(key, regex);
  }
  return regex;
}

/** Text that is read record by record. */
export class RecordReader {
  readonly #text: string;
  #at = 0;
  /** What ended the last record. */
  terminator = "";

  constructor(text: string) {
    this.#text = text;
  }

  /** The next record; null behind the last. */
  next(separator: string, ignoresCase: boolean): string | null {
    const text = this.#text;
    if (separator === "") {
      while (text[this.#at] === "\n") this.#at++;
      if (this.#at >= text.length) return null;
      const end = /\n\n+/g;
      end.lastIndex = this.#at;
      const found = end.exec(text);
      if (found === null) {
        const rest = text.slice(this.#at);
        this.#at = text.length;
        this.terminator = rest.endsWith("\n") ? "\n" : "";
        return rest.endsWith("\n") ? rest.slice(0, -1) : rest;
      }
      return this.#take(found.index, found.index + found[0].length);
    }
    if (this.#at >= text.length) return null;
    if (separator.length === 1) {
      const end = text.indexOf(separator, this.#at);
      return end < 0 ? this.#take(text.length, text.length) : this.#take(end, end + 1);
    }
    const regex = awkRegex(separator, ignoresCase);
    for (let from = this.#at; ; ) {
      const found = regex.find(text, from);
      if (found === null) return this.#take(text.length, text.length);
      if (found.end > found.start) return this.#take(found.start, found.end);
      from = found.end + 1;
      if (from > text.length) return this.#take(text.length, text.length);
    }
  }

  #take(end: number, next: number): string {
    const record = this.#text.slice(this.#at, end);
    this.terminator = this.#text.slice(end, next);
    this.#at = next;
    return record;
  }

  skipRest(): void {
    this.#at = this.#text.length;
  }
}

/** Parts of text between separators, as `FS` and `split` have them. */
export function splitFields(
  text: string,
  separator: string,
  isParagraph: boolean,
  ignoresCase: boolean,
  separators?: string[],
): string[] {
  if (text === "") return [];
  if (separator === " ") {
    const trimmed = text.replace(/^[ \t\n]+|[ \t\n]+$/g, "");
    if (separators !== undefined) {
      separators.push(/^[ \t\n]*/.exec(text)?.[0] ?? "", ...(trimmed.match(/[ \t\n]+/g) ?? []));
      separators.push(/[ \t\n]*$/.exec(text)?.[0] ?? "");
    }
    return trimmed === "" ? [] : trimmed.split(/[ \t\n]+/);
  }
  if (separator === "") return Array.from(text);
  if (separator.length === 1 && separator !== "\\" && !(ignoresCase && /[a-z]/i.test(separator))) {
    const parts =
      isParagraph && separator !== "\n"
        ? text.split(/\n/).flatMap((line) => line.split(separator))
        : text.split(separator);
    if (separators !== undefined) for (let at = 1; at < parts.length; at++) separators.push(separator);
    return parts;
  }
  const source = separator === "\\" ? "\\\\" : separator;
  return splitByRegex(text, awkRegex(isParagraph ? `(${source})|\n` : source, ignoresCase), separators);
}

/** Parts of text between matches; what is empty separates nothing. */
export function splitByRegex(text: string, regex: Regex, separators?: string[]): string[] {
  if (text === "") return [];
  const parts: string[] = [];
  let start = 0;
  for (let from = 0; ; ) {
    const found = regex.find(text, from);
    if (found === null) break;
    if (found.end === found.start) {
      from = found.end + 1;
      if (from > text.length) break;
      continue;
    }
    parts.push(text.slice(start, found.start));
    separators?.push(text.slice(found.start, found.end));
    start = found.end;
    from = found.end;
  }
  parts.push(text.slice(start));
  return parts;
}

/** Parts of text that match, as `FPAT` and `patsplit` have them. */
export function matchFields(
  text: string,
  pattern: string,
  ignoresCase: boolean,
  separators?: string[],
): string[] {
  const regex = awkRegex(pattern, ignoresCase);
  const parts: string[] = [];
  let start = 0;
  for (let from = 0; from <= text.length; ) {
    const found = regex.find(text, from);
    if (found === null) break;
    separators?.push(text.slice(start, found.start));
    if (found.end > found.start || found.start > start || parts.length === 0)
      parts.push(text.slice(found.start, found.end));
    start = found.end;
    from = found.end > found.start ? found.end : found.end + 1;
  }
  separators?.push(text.slice(start));
  return parts;
}
