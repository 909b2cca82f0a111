/** Text of a program of `awk` → tokens. */
import { AwkError } from "./awk-tree.ts";

export interface Token {
  readonly is:
    | "number"
    | "string"
    | "regex"
    | "name"
    | "call"
    | "builtin"
    | "keyword"
    | "mark"
    | "newline"
    | "end";
  readonly text: string;
  readonly line: number;
}

const KEYWORDS = new Set(
  "BEGIN END BEGINFILE ENDFILE function func if else while for do break continue next nextfile exit return delete in getline print printf switch case default".split(
    " ",
  ),
);
const BUILTINS = new Set(
  "length substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper system close fflush systime strftime mktime and or xor lshift rshift compl strtonum asort asorti patsplit typeof isarray mkbool".split(
    " ",
  ),
);
const MARKS =
  /\*\*=|\*\*|\|&|>>|\+\+|--|\+=|-=|\*=|\/=|%=|\^=|==|<=|>=|!=|!~|&&|\|\||[-+*/%^!<>=~?:,;(){}[\]$|@]/y;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  '"': '"',
  "/": "/",
  "\\": "\\",
};

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;
  const take = (expression: RegExp): string | null => {
    expression.lastIndex = at;
    const found = expression.exec(source)?.[0];
    if (found === undefined) return null;
    at += found.length;
    return found;
  };
  const push = (is: Token["is"], text: string): void => {
    tokens.push({ is, text, line });
  };
  while (at < source.length) {
    if (take(/[ \t\r]+|#[^\n]*/y) !== null) continue;
    if (take(/\\\r?\n/y) !== null) {
      line++;
      continue;
    }
    if (take(/\n/y) !== null) {
      push("newline", "\n");
      line++;
      continue;
    }
    const number = take(/0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y);
    if (number !== null) {
      const isOctal = /^0[0-7]+$/.test(number);
      push("number", String(isOctal ? Number.parseInt(number, 8) : Number(number)));
      continue;
    }
    const name = take(/[A-Za-z_]\w*/y);
    if (name !== null) {
      if (KEYWORDS.has(name)) push("keyword", name === "func" ? "function" : name);
      else if (BUILTINS.has(name)) push("builtin", name);
      else push(source[at] === "(" ? "call" : "name", name);
      continue;
    }
    if (source[at] === '"') {
      const start = ++at;
      while (source[at] !== '"') {
        if (at >= source.length || source[at] === "\n")
          throw new AwkError(`cmd. line:${line}: unterminated string`, 1);
        at += source[at] === "\\" ? 2 : 1;
      }
      push("string", unescapeString(source.slice(start, at)));
      at++;
      continue;
    }
    if (source[at] === "/" && startsRegex(tokens.at(-1))) {
      at++;
      push("regex", readRegex());
      continue;
    }
    const mark = take(MARKS);
    if (mark === null)
      throw new AwkError(
        `cmd. line:${line}: ${source.split("\n")[line - 1] ?? ""}\nawk: cmd. line:${line}: syntax error`,
        1,
      );
    push("mark", mark === "**" ? "^" : mark === "**=" ? "^=" : mark);
  }
  push("newline", "\n");
  push("end", "");
  return tokens;

  function readRegex(): string {
    let text = "";
    let isBracket = false;
    let bracketAt = 0;
    for (;;) {
      const char = source[at];
      if (char === undefined || char === "\n")
        throw new AwkError(`cmd. line:${line}: unterminated regexp`, 1);
      at++;
      if (char === "\\") {
        const next = source[at++] ?? "";
        if (next === "\n") line++;
        else text += next === "/" ? "/" : `\\${next}`;
        continue;
      }
      if (isBracket) {
        if (char === "]" && text.length > bracketAt) isBracket = false;
      } else if (char === "[") {
        isBracket = true;
        text += char;
        if (source[at] === "^") text += source[at++];
        bracketAt = text.length;
        continue;
      } else if (char === "/") return text;
      text += char;
    }
  }
}

/** A slash begins an expression where no value stands in front of it. */
function startsRegex(last: Token | undefined): boolean {
  if (last === undefined) return true;
  if (["number", "string", "name", "regex", "builtin"].includes(last.is)) return false;
  return !(last.is === "mark" && [")", "]", "$", "++", "--"].includes(last.text));
}

/** A string's text with its escapes resolved. */
export function unescapeString(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(\n)|([\s\S]))/g,
    (_, octal, hex, feed, char: string) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (feed !== undefined) return "";
      return ESCAPES[char] ?? char;
    },
  );
}
