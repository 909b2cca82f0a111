/** Text of a bc program → tokens. */

export type Token =
  | { readonly is: "number"; readonly text: string }
  | { readonly is: "name"; readonly text: string }
  | { readonly is: "string"; readonly text: string }
  | { readonly is: "keyword"; readonly text: string }
  | { readonly is: "operator"; readonly text: string }
  | { readonly is: "newline" }
  | { readonly is: "end" };

const KEYWORDS = new Set(
  "auto break continue define else for halt ibase if last length limits obase print quit read return scale sqrt void warranty while".split(
    " ",
  ),
);
const OPERATORS = /\+\+|--|[-+*/%^]=|==|<=|>=|!=|&&|\|\||[-+*/%^=<>!(){}[\],;]/y;
const NUMBER = /(?:(?:[0-9A-F]|\\\n)+(?:\.(?:[0-9A-F]|\\\n)*)?|\.(?:\\\n)*[0-9A-F](?:[0-9A-F]|\\\n)*)/y;
const NAME = /[a-z][a-z0-9_]*/y;
const SKIPPED = /(?:[ \t\r\f\v]|\\\r?\n|#[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const STRING = /"([^"]*)"/y;

/** Reads tokens one by one, so that what a program does with its own input (`read()`) finds the rest of it. */
export class Lexer {
  readonly #text: string;
  #at = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  get line(): number {
    return this.#line;
  }

  /** The next token; null for a character that is none, which is passed over. */
  next(): Token | { readonly is: "illegal"; readonly text: string } {
    this.#match(SKIPPED);
    if (this.#at >= this.#text.length) return { is: "end" };
    if (this.#text[this.#at] === "\n") {
      this.#at++;
      this.#line++;
      return { is: "newline" };
    }
    const string = this.#match(STRING);
    if (string !== null) return { is: "string", text: string.slice(1, -1) };
    const number = this.#match(NUMBER);
    if (number !== null) return { is: "number", text: number.replaceAll("\\\n", "") };
    const name = this.#match(NAME);
    if (name !== null) return { is: KEYWORDS.has(name) ? "keyword" : "name", text: name };
    const operator = this.#match(OPERATORS);
    if (operator !== null) return { is: "operator", text: operator };
    if (this.#text[this.#at] === ".") {
      this.#at++;
      return { is: "keyword", text: "last" };
    }
    return { is: "illegal", text: this.#text[this.#at++] ?? "" };
  }

  /** The rest of the line that is read, for `read()`; null at the end. */
  takeLine(): string | null {
    if (this.#at >= this.#text.length) return null;
    const end = this.#text.indexOf("\n", this.#at);
    const line = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 1;
    this.#line++;
    return line;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined || found === "") return null;
    this.#at += found.length;
    for (const character of found) if (character === "\n") this.#line++;
    return found;
  }
}
