/**
 * Whether a script asks for another line: an open quote, here-document, compound command, or an operator or backslash
 * at its end. Pure, and about the shape alone: what is wrong, and not merely open, counts as whole, so that the shell
 * itself says what is wrong with it. The engine cannot be asked: it takes some scripts as whole that a prompt must not
 * (a here-document without its end, `a |`).
 */

/** Nothing of the script is wrong so far, but its end is missing. */
class Unfinished extends Error {}
/** No line to come makes it right. */
class Malformed extends Error {}

interface Open {
  /** What ends the compound command. */
  readonly end: "fi" | "done" | "esac" | "}" | ")";
  /** Of a `case`: whether a pattern, and no command, comes next. */
  inPattern: boolean;
}

/** Words after which a command may begin as at the start of a line. */
const GO_ON = new Set(["then", "else", "elif", "do", "!", "time", "coproc"]);
const OPENS: ReadonlyMap<string, Open["end"]> = new Map([
  ["if", "fi"],
  ["while", "done"],
  ["until", "done"],
  ["for", "done"],
  ["select", "done"],
  ["{", "}"],
]);
const CLOSES = new Set(["fi", "done", "esac", "}"]);

export function isUnfinished(script: string): boolean {
  try {
    new Scanner(script).commands(false);
    return false;
  } catch (signal) {
    if (signal instanceof Unfinished) return true;
    if (signal instanceof Malformed) return false;
    throw signal;
  }
}

class Scanner {
  readonly #text: string;
  #at = 0;
  #hereDocuments: { readonly end: string; readonly stripsTabs: boolean }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads to the end of the script, or over the `)` that ends a substitution. */
  commands(inSubstitution: boolean): void {
    const open: Open[] = [];
    let canStart = true;
    let isAwaited = false;
    let isTarget = false;
    const start = (awaited: boolean): void => {
      canStart = true;
      isAwaited = awaited;
    };
    for (;;) {
      this.#skipBlanks();
      const innermost = open.at(-1);
      const character = this.#text[this.#at];
      if (character === undefined) {
        if (inSubstitution || open.length > 0 || isAwaited || this.#hereDocuments.length > 0)
          throw new Unfinished();
        return;
      }
      if (character === "\n") {
        this.#at++;
        this.#readHereDocuments();
        canStart = true;
      } else if (character === "#") this.#skipTo("\n");
      else if (character === ")") {
        this.#at++;
        if (innermost?.inPattern === true) {
          innermost.inPattern = false;
          start(false);
        } else if (innermost?.end === ")") {
          open.pop();
          canStart = false;
        } else if (innermost === undefined && inSubstitution) return;
        else throw new Malformed();
      } else if (character === "(") {
        if (innermost?.inPattern === true) this.#at++;
        else if (this.#take(/\(\s*\)/y) !== undefined) start(true);
        else if (this.#text.startsWith("((", this.#at)) {
          this.#at += 2;
          this.#balanced(2);
          canStart = isAwaited = false;
        } else if (canStart) {
          this.#at++;
          open.push({ end: ")", inPattern: false });
          start(false);
        } else throw new Malformed();
      } else if (this.#take(/;;&?|;&/y) !== undefined) {
        if (innermost?.end !== "esac") throw new Malformed();
        innermost.inPattern = true;
        start(false);
      } else if (this.#take(/&>>?/y) !== undefined) isTarget = true;
      else if (this.#take(/&&|\|[|&]?/y) !== undefined) start(innermost?.inPattern !== true);
      else if (this.#take(/[;&]/y) !== undefined) start(false);
      else if (this.#take(/[<>]\(/y) !== undefined) {
        this.commands(true);
        canStart = isAwaited = false;
      } else if (this.#take(/<<(?!<)/y) !== undefined) this.#readHereDocumentEnd();
      else if (this.#take(/<<<|[<>][<>&|]*/y) !== undefined) isTarget = true;
      else {
        const word = this.#word();
        if (isTarget) isTarget = false;
        else if (innermost?.inPattern === true) {
          if (word === "esac") {
            open.pop();
            canStart = false;
          }
        } else if (canStart) {
          isAwaited = false;
          canStart = this.#startWith(word, open);
          if (word === "function") isAwaited = true;
        }
        isAwaited &&= word === "function";
      }
    }
  }

  /** @returns whether a command may begin after this word, which stands where one may */
  #startWith(word: string, open: Open[]): boolean {
    const end = OPENS.get(word);
    if (end !== undefined) {
      open.push({ end, inPattern: false });
      return word !== "for" && word !== "select";
    }
    if (CLOSES.has(word)) {
      if (open.pop()?.end !== word) throw new Malformed();
      return false;
    }
    if (word === "case") {
      this.#skipBlanksAndLines();
      this.#word();
      this.#skipBlanksAndLines();
      if (this.#word() !== "in") throw new Malformed();
      open.push({ end: "esac", inPattern: true });
      return false;
    }
    if (word === "[[") {
      this.#readCondition();
      return false;
    }
    if (word === "function") {
      this.#skipBlanks();
      this.#word();
      this.#take(/[ \t]*\([ \t]*\)/y);
      return true;
    }
    return GO_ON.has(word);
  }

  #readCondition(): void {
    for (;;) {
      this.#skipBlanksAndLines();
      if (this.#take(/[<>()&|;]/y) === undefined && this.#word() === "]]") return;
    }
  }

  /** What stands behind `<<`. */
  #readHereDocumentEnd(): void {
    const stripsTabs = this.#take(/-/y) !== undefined;
    this.#skipBlanks();
    if (this.#at >= this.#text.length || this.#text[this.#at] === "\n") throw new Malformed();
    const end = this.#word().replace(/\\(.)|["']/gs, "$1");
    this.#hereDocuments.push({ end, stripsTabs });
  }

  #readHereDocuments(): void {
    for (const { end, stripsTabs } of this.#hereDocuments.splice(0)) {
      for (let line: string | undefined; line !== end; ) {
        if (this.#at >= this.#text.length) throw new Unfinished();
        const newline = this.#text.indexOf("\n", this.#at);
        const lineEnd = newline === -1 ? this.#text.length : newline;
        line = this.#text.slice(this.#at, lineEnd);
        if (stripsTabs) line = line.replace(/^\t+/, "");
        this.#at = lineEnd + 1;
      }
    }
    this.#at = Math.min(this.#at, this.#text.length);
  }

  /** One word as it is written; at least one character of it must be there. */
  #word(): string {
    const from = this.#at;
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined && this.#at === from) throw new Unfinished();
      if (character === undefined || /[ \t\n;&|<>)]/.test(character)) break;
      if (character === "(") {
        const before = this.#at === from ? "" : this.#text[this.#at - 1];
        if (before === "=") this.#readArray();
        else if (before !== undefined && before !== "" && "?*+@!".includes(before)) {
          this.#at++;
          this.#balanced(1);
        } else break;
      } else this.#part(character, false);
    }
    if (this.#at === from) throw new Malformed();
    return this.#text.slice(from, this.#at);
  }

  /** One character of a word, or a whole quotation or expansion. */
  #part(character: string, inDoubleQuotes: boolean): void {
    if (character === "\\") {
      if (this.#at + 1 >= this.#text.length) throw new Unfinished();
      this.#at += 2;
    } else if (character === "`") this.#quoted("`", true);
    else if (character === "'" && !inDoubleQuotes) this.#quoted("'", false);
    else if (character === '"') this.#doubleQuoted();
    else if (this.#text.startsWith("$'", this.#at) && !inDoubleQuotes) {
      this.#at++;
      this.#quoted("'", true);
    } else if (this.#take(/\$\(\(/y) !== undefined) this.#balanced(2);
    else if (this.#take(/\$\(/y) !== undefined) this.commands(true);
    else if (this.#take(/\$\{/y) !== undefined) this.#until("}", false);
    else this.#at++;
  }

  #quoted(quote: "'" | "`", hasEscapes: boolean): void {
    for (this.#at++; ; this.#at++) {
      const character = this.#text[this.#at];
      if (character === undefined) throw new Unfinished();
      if (character === quote) break;
      if (character === "\\" && hasEscapes) this.#at++;
    }
    this.#at++;
  }

  #doubleQuoted(): void {
    this.#at++;
    this.#until('"', true);
  }

  #until(end: string, inDoubleQuotes: boolean): void {
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined) throw new Unfinished();
      if (character === end) break;
      this.#part(character, inDoubleQuotes);
    }
    this.#at++;
  }

  /** Over so many closing parentheses, and over those that open in between. */
  #balanced(depth: number): void {
    for (let left = depth; left > 0; ) {
      const character = this.#text[this.#at];
      if (character === undefined) throw new Unfinished();
      if (character === "(" || character === ")") {
        left += character === "(" ? 1 : -1;
        this.#at++;
      } else this.#part(character, false);
    }
  }

  #readArray(): void {
    for (this.#at++; ; ) {
      this.#skipBlanksAndLines();
      if (this.#text[this.#at] === "#") this.#skipTo("\n");
      else if (this.#take(/\)/y) !== undefined) return;
      else this.#word();
    }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #skipBlanks(): void {
    this.#take(/(?:[ \t]|\\\n)+/y);
  }

  #skipBlanksAndLines(): void {
    this.#take(/(?:[ \t\n]|\\\n)+/y);
  }

  #skipTo(end: string): void {
    const found = this.#text.indexOf(end, this.#at);
    this.#at = found === -1 ? this.#text.length : found;
  }
}
