/**
 * The language of `sed`, GNU's: text of a script → commands. Over 300 lines, because each command has a grammar of
 * its own and all share one reading position.
 */

import { RegexError, type RegexSyntax } from "./regex/parse-regex.ts";
import { compileRegex, type Regex } from "./regex/regex.ts";

export type SedAddress =
  | { readonly is: "line"; readonly line: number }
  | { readonly is: "step"; readonly first: number; readonly step: number }
  | { readonly is: "last" }
  /** Null is the expression used last. */
  | { readonly is: "match"; readonly regex: Regex | null }
  /** Ends of a range only. */
  | { readonly is: "plus"; readonly lines: number }
  | { readonly is: "multiple"; readonly of: number };

export type ReplacementPart =
  | { readonly is: "text"; readonly text: string }
  /** 0 is the whole match. */
  | { readonly is: "group"; readonly index: number }
  | { readonly is: "case"; readonly change: "U" | "L" | "u" | "l" | "E" };

export interface Substitution {
  readonly regex: Regex | null;
  readonly replacement: readonly ReplacementPart[];
  readonly needsGroups: boolean;
  readonly isGlobal: boolean;
  readonly number: number;
  readonly prints: boolean;
  readonly evaluates: boolean;
  readonly file: string | null;
}

export interface SedCommand {
  readonly first: SedAddress | null;
  readonly second: SedAddress | null;
  readonly isNegated: boolean;
  readonly name: string;
  /** Text of `a i c`, name of a label or a file, command of `e`. */
  readonly text: string;
  /** Number of `q Q l L`. */
  readonly number: number | null;
  readonly substitution: Substitution | null;
  readonly mapping: ReadonlyMap<string, string> | null;
  /** Where `{`, `b`, `t` and `T` go on; for a label, itself. */
  target: number;
  /** Whether its range is open, and where it ends. */
  range: { is: "closed" | "open"; end: number };
}

export class SedError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A piece of the script, from one `-e` or one file. */
export interface ScriptPiece {
  readonly text: string;
  /** «-e expression #1», «file x.sed». */
  readonly source: string;
  readonly isFile: boolean;
}

export interface SedSyntax {
  readonly isExtended: boolean;
  readonly isPosix: boolean;
}

const NAMES = "{}=abcdDeFgGhHilnNpPqQrRstTvwWxyz:#";
const ESCAPES: Readonly<Record<string, string>> = { a: "\x07", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** @throws SedError */
export function parseSedScript(pieces: readonly ScriptPiece[], syntax: SedSyntax): SedCommand[] {
  const script = pieces.map(({ text }) => text).join("\n");
  return new Parser(script, pieces, syntax).parse();
}

class Parser {
  readonly #script: string;
  readonly #pieces: readonly ScriptPiece[];
  readonly #syntax: RegexSyntax;
  #at = 0;
  readonly #commands: SedCommand[] = [];

  constructor(script: string, pieces: readonly ScriptPiece[], { isExtended }: SedSyntax) {
    this.#script = script;
    this.#pieces = pieces;
    this.#syntax = isExtended ? "extended" : "basic";
  }

  parse(): SedCommand[] {
    const open: number[] = [];
    for (;;) {
      this.#skip(/[\s;]*/y);
      if (this.#at >= this.#script.length) break;
      const command = this.#command();
      if (command === null) continue;
      const index = this.#commands.push(command) - 1;
      if (command.name === "{") open.push(index);
      if (command.name === "}") {
        const start = open.pop();
        const opener = start === undefined ? undefined : this.#commands[start];
        if (opener === undefined) throw this.#error("unexpected `}'");
        opener.target = index + 1;
      }
    }
    if (open.length > 0) throw this.#error("unmatched `{'", 0);
    this.#resolveLabels();
    return this.#commands;
  }

  #resolveLabels(): void {
    const labels = new Map<string, number>();
    for (const [index, { name, text }] of this.#commands.entries()) if (name === ":") labels.set(text, index);
    for (const command of this.#commands) {
      if (!"btT".includes(command.name)) continue;
      const target = command.text === "" ? this.#commands.length : labels.get(command.text);
      if (target === undefined) throw new SedError(`can't find label for jump to \`${command.text}'`, 4);
      command.target = target;
    }
  }

  /** The error with the place where it was met, as GNU counts it. */
  #error(why: string, at = this.#at): SedError {
    let start = 0;
    for (const piece of this.#pieces) {
      const end = start + piece.text.length;
      if (at <= end + 1 || piece === this.#pieces.at(-1)) {
        const inside = this.#script.slice(start, Math.max(start, at));
        const place = piece.isFile
          ? `${piece.source} line ${inside.split("\n").length}`
          : `${piece.source}, char ${Array.from(inside).length}`;
        return new SedError(`${place}: ${why}`);
      }
      start = end + 1;
    }
    return new SedError(why);
  }

  #skip(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const [found = ""] = expression.exec(this.#script) ?? [];
    this.#at += found.length;
    return found;
  }

  #peek(): string {
    return this.#script[this.#at] ?? "";
  }

  #command(): SedCommand | null {
    const first = this.#address(false);
    let second: SedAddress | null = null;
    this.#skip(/[ \t]*/y);
    if (this.#peek() === ",") {
      this.#at++;
      if (first === null) throw this.#error("unexpected `,'");
      this.#skip(/[ \t]*/y);
      second = this.#address(true);
      if (second === null) throw this.#error("unexpected `,'", this.#at + 1);
    }
    this.#skip(/[ \t]*/y);
    let isNegated = false;
    while (this.#peek() === "!") {
      isNegated = true;
      this.#at++;
      this.#skip(/[ \t]*/y);
    }
    const name = this.#peek();
    this.#at++;
    if (name === "") throw this.#error("missing command", this.#at - 1);
    if (name === "#" && first === null) {
      this.#skip(/[^\n]*/y);
      return null;
    }
    if (!NAMES.includes(name) || name === "#") {
      if (name === "#") throw this.#error("comments don't accept any addresses");
      throw this.#error(`unknown command: \`${name === "\n" ? "\n" : name}'`);
    }
    if (name === ":" && first !== null) throw this.#error(": doesn't want any addresses");
    if (name === "}" && first !== null) throw this.#error("} doesn't want any addresses");
    let text = "";
    if (first?.is === "line" && first.line === 0 && second?.is !== "match" && name !== "r")
      throw this.#error("invalid usage of line address 0");
    let number: number | null = null;
    let substitution: Substitution | null = null;
    let mapping: ReadonlyMap<string, string> | null = null;
    if ("aic".includes(name)) text = this.#textArgument();
    else if (name === ":") {
      this.#skip(/[ \t]*/y);
      text = this.#skip(/[^\s;]*/y);
      if (text === "") throw this.#error('":" lacks a label');
    } else if ("btT".includes(name)) {
      this.#skip(/[ \t]*/y);
      text = this.#skip(/[^\s;}]*/y);
      this.#end();
    } else if ("rRwW".includes(name)) {
      this.#skip(/[ \t]*/y);
      text = this.#skip(/[^\n]*/y);
      if (text === "") throw this.#error("missing filename in r/R/w/W commands");
    } else if (name === "e" || name === "v") {
      this.#skip(/[ \t]*/y);
      text = this.#skip(/[^\n]*/y);
    } else if ("qQlL".includes(name)) {
      this.#skip(/[ \t]*/y);
      const digits = this.#skip(/\d*/y);
      number = digits === "" ? null : Number(digits);
      if ("qQ".includes(name) && second !== null) throw this.#error("command only uses one address");
      this.#end();
    } else if (name === "s") substitution = this.#substitution();
    else if (name === "y") mapping = this.#mapping();
    else if (name !== "{") this.#end();
    if (name === "v") return null;
    // Counting from line 0 looks for the end of the range on the first line already.
    const isOpen = first?.is === "line" && first.line === 0;
    return {
      first,
      second,
      isNegated,
      name,
      text,
      number,
      substitution,
      mapping,
      target: this.#commands.length,
      range: { is: isOpen ? "open" : "closed", end: 0 },
    };
  }

  #end(): void {
    this.#skip(/[ \t]*/y);
    const next = this.#peek();
    if (next === "" || next === "\n" || next === ";") this.#at++;
    else if (next !== "}" && next !== "#") throw this.#error("extra characters after command", this.#at + 1);
  }

  #address(isSecond: boolean): SedAddress | null {
    const char = this.#peek();
    if (/\d/.test(char)) {
      const line = Number(this.#skip(/\d+/y));
      this.#skip(/[ \t]*(?=~)/y);
      if (this.#peek() === "~" && !isSecond) {
        this.#at++;
        const step = Number(this.#skip(/\d*/y));
        return step > 0 ? { is: "step", first: line, step } : { is: "line", line };
      }
      return { is: "line", line };
    }
    if (isSecond && (char === "+" || char === "~")) {
      this.#at++;
      const number = Number(this.#skip(/\d*/y));
      return char === "+" ? { is: "plus", lines: number } : { is: "multiple", of: number };
    }
    if (char === "$") {
      this.#at++;
      return { is: "last" };
    }
    if (char !== "/" && char !== "\\") return null;
    this.#at++;
    let delimiter = "/";
    if (char === "\\") {
      delimiter = this.#peek();
      this.#at++;
    }
    const source = this.#until(delimiter, true);
    if (source === null) throw this.#error("unterminated address regex");
    const flags = this.#skip(/[IM]*/y);
    return { is: "match", regex: this.#regex(source, flags) };
  }

  /** Text up to the delimiter; null where the script ends first. */
  #until(delimiter: string, isRegex: boolean): string | null {
    let text = "";
    for (;;) {
      const char = this.#script[this.#at];
      if (char === undefined) return null;
      if (char === "[" && isRegex && delimiter !== "[") {
        const bracket = this.#skip(/\[\^?\]?(?:\[([:.=]).*?\1\]|[^\]\n])*\]/y);
        if (bracket !== "") {
          text += bracket;
          continue;
        }
      }
      this.#at++;
      if (char === delimiter) return text;
      if (char === "\\") {
        const next = this.#script[this.#at];
        if (next === undefined) return null;
        this.#at++;
        if (next === delimiter && delimiter !== "\\") text += next;
        else if (next === "n" && isRegex && delimiter !== "n") text += "\\n";
        else text += `\\${next}`;
      } else if (char === "\n" && isRegex) return null;
      else text += char;
    }
  }

  #regex(source: string, flags: string): Regex | null {
    if (source === "") return null;
    try {
      return compileRegex(toRegexSource(source), {
        syntax: this.#syntax,
        ignoresCase: /i/i.test(flags),
        isMultiline: /m/i.test(flags),
      });
    } catch (error) {
      if (error instanceof RegexError) throw this.#error(error.message);
      throw error;
    }
  }

  #textArgument(): string {
    this.#skip(/[ \t]*/y);
    if (this.#at >= this.#script.length) throw this.#error("expected \\ after `a', `c' or `i'");
    if (this.#peek() === "\\") {
      this.#at++;
      const before = this.#at;
      this.#skip(/[ \t]*/y);
      if (this.#peek() === "\n") this.#at++;
      else this.#at = before;
      if (this.#at >= this.#script.length) throw this.#error("expected \\ after `a', `c' or `i'");
    }
    let text = "";
    while (this.#at < this.#script.length) {
      const char = this.#script[this.#at++] ?? "";
      if (char === "\n") break;
      if (char !== "\\") {
        text += char;
        continue;
      }
      const escaped = this.#charEscape();
      if (escaped !== null) text += escaped;
      else if (this.#at < this.#script.length) text += this.#script[this.#at++];
    }
    return `${text}\n`;
  }

  /** The character of an escape such as `\t` or `\x41` at this place. */
  #charEscape(): string | null {
    const found = readCharEscape(this.#script, this.#at);
    if (found === null) return null;
    this.#at += found.length;
    return found.char;
  }

  #mapping(): ReadonlyMap<string, string> {
    const delimiter = this.#peek();
    this.#at++;
    const from = this.#until(delimiter, false);
    const to = from === null ? null : this.#until(delimiter, false);
    if (from === null || to === null) throw this.#error("unterminated `y' command");
    const plain = (text: string): string[] => {
      const chars: string[] = [];
      for (let at = 0; at < text.length; ) {
        const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
        at += char.length;
        if (char !== "\\") {
          chars.push(char);
          continue;
        }
        const escaped = readCharEscape(text, at);
        if (escaped !== null) {
          chars.push(escaped.char);
          at += escaped.length;
        } else if (text[at] === "\\" || text[at] === "\n") chars.push(text[at++] ?? "");
        else chars.push("\\");
      }
      return chars;
    };
    const keys = plain(from);
    const values = plain(to);
    if (keys.length !== values.length) throw this.#error("strings for `y' command are different lengths");
    this.#end();
    const mapping = new Map<string, string>();
    for (const [place, key] of keys.entries()) if (!mapping.has(key)) mapping.set(key, values[place] ?? "");
    return mapping;
  }

  #substitution(): Substitution {
    const delimiter = this.#peek();
    this.#at++;
    const unterminated = "unterminated `s' command";
    if (delimiter === "" || delimiter === "\n" || delimiter === "\\") throw this.#error(unterminated);
    const source = this.#until(delimiter, true);
    const replacement = source === null ? null : this.#until(delimiter, false);
    if (source === null || replacement === null) throw this.#error(unterminated);
    let isGlobal = false;
    let prints = false;
    let evaluates = false;
    let number = 0;
    let flags = "";
    let file: string | null = null;
    for (let isOpen = true; isOpen; ) {
      const flag = this.#peek();
      this.#at++;
      if (/[iImM]/.test(flag)) flags += flag;
      else if (flag === "e") evaluates = true;
      else if (flag === "p") {
        if (prints) throw this.#error("multiple `p' options to `s' command");
        prints = true;
      } else if (flag === "g") {
        if (isGlobal) throw this.#error("multiple `g' options to `s' command");
        isGlobal = true;
      } else if (/\d/.test(flag) && flag !== "") {
        if (number > 0) throw this.#error("multiple number options to `s' command");
        number = Number(flag + this.#skip(/\d*/y));
        if (number === 0) throw this.#error("number option to `s' command may not be zero");
      } else if (flag === "w") {
        this.#skip(/[ \t]*/y);
        file = this.#skip(/[^\n]*/y);
        if (file === "") throw this.#error("missing filename in r/R/w/W commands");
        isOpen = false;
      } else if (flag === "}" || flag === "#") {
        this.#at--;
        isOpen = false;
      } else if (flag === "" || flag === "\n" || flag === ";") isOpen = false;
      else if (flag === " " || flag === "\t" || flag === "\r") continue;
      else throw this.#error("unknown option to `s'");
    }
    const regex = this.#regex(source, flags);
    const parts = toReplacement(replacement);
    const highest = Math.max(0, ...parts.map((part) => (part.is === "group" ? part.index : 0)));
    if (regex !== null && highest > regex.groupCount)
      throw this.#error(`invalid reference \\${highest} on \`s' command's RHS`);
    const needsGroups = highest > 0;
    return {
      regex,
      replacement: parts,
      needsGroups,
      isGlobal,
      number: number === 0 ? 1 : number,
      prints,
      evaluates,
      file,
    };
  }
}

/** The character that an escape behind a backslash stands for: `\t`, `\x41`, `\o101`, `\d065`, `\cA`. */
function readCharEscape(text: string, at: number): { char: string; length: number } | null {
  const rest = text.slice(at, at + 4);
  const number = /^(?:x([0-9a-fA-F]{1,2})|o([0-7]{1,3})|d([0-9]{1,3}))/.exec(rest);
  if (number !== null) {
    const [whole, hex, octal, decimal] = number;
    const code =
      hex !== undefined
        ? Number.parseInt(hex, 16)
        : octal !== undefined
          ? Number.parseInt(octal, 8)
          : Number(decimal);
    return { char: String.fromCharCode(code & 0xff), length: whole.length };
  }
  const control = /^c(.)/.exec(rest);
  if (control !== null) {
    const code = (control[1] ?? "@").toUpperCase().charCodeAt(0) ^ 64;
    return { char: String.fromCharCode(code), length: 2 };
  }
  const char = ESCAPES[rest[0] ?? ""];
  return char === undefined ? null : { char, length: 1 };
}

/** Puts characters for the escapes that the C library does not know. A special character so written is a plain one. */
function toRegexSource(source: string): string {
  let text = "";
  let bracketAt = -1;
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? "";
    if (bracketAt >= 0) {
      if (char === "[" && /[:.=]/.test(source[at + 1] ?? "")) {
        const end = source.indexOf(`${source[at + 1]}]`, at + 2);
        if (end > 0) {
          text += source.slice(at, end + 2);
          at = end + 1;
          continue;
        }
      }
      const escaped = char === "\\" ? readCharEscape(source, at + 1) : null;
      if (escaped !== null && escaped.char !== "]") {
        text += escaped.char;
        at += escaped.length;
        continue;
      }
      if (char === "]" && at > bracketAt) bracketAt = -1;
      text += char;
      continue;
    }
    if (char === "[") {
      const start = source[at + 1] === "^" ? at + 2 : at + 1;
      bracketAt = start;
      text += source.slice(at, start);
      at = start - 1;
    } else if (char === "\\") {
      const escaped = readCharEscape(source, at + 1);
      if (escaped !== null) {
        text += /[\\^$.*[\]]/.test(escaped.char) ? `\\${escaped.char}` : escaped.char;
        at += escaped.length;
      } else {
        text += char + (source[at + 1] ?? "");
        at++;
      }
    } else text += char;
  }
  return text;
}

function toReplacement(text: string): ReplacementPart[] {
  const parts: ReplacementPart[] = [];
  let plain = "";
  const flush = (): void => {
    if (plain !== "") parts.push({ is: "text", text: plain });
    plain = "";
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "&") {
      flush();
      parts.push({ is: "group", index: 0 });
      continue;
    }
    if (char !== "\\") {
      plain += char;
      continue;
    }
    const next = text[at + 1] ?? "";
    const escaped = readCharEscape(text, at + 1);
    if (/\d/.test(next)) {
      flush();
      parts.push({ is: "group", index: Number(next) });
      at++;
    } else if (/[ULulE]/.test(next)) {
      flush();
      parts.push({ is: "case", change: next as "U" | "L" | "u" | "l" | "E" });
      at++;
    } else if (escaped !== null) {
      plain += escaped.char;
      at += escaped.length;
    } else {
      plain += next;
      at++;
    }
  }
  flush();
  return parts;
}
