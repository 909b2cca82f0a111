/**
 * What a guest wrote, made safe for a terminal. A terminal obeys control characters: they set its title, fill the
 * clipboard, or make it type an answer of the guest's choice into the prompt. Pure.
 */

// What changes the direction or the line of what follows, and halves of characters that are none.
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;

/** A short text, a path say, on one line: what does not print is there as an escape (`\x1b`, `\u{202e}`). */
export function toVisible(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

/** Whether a text is the same as `toVisible` of it. */
export function isVisible(text: string): boolean {
  return toVisible(text) === text;
}

/** An event as one line of JSON that holds no control character: JSON itself lets those from U+007F on pass. */
export function toVisibleJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Longest row of parameters of a change of colour. */
const MAX_PARAMETERS = 64;

// A whole change of colour or weight, or one character that a terminal would obey; tab, newline and return are not.
const OBEYED = new RegExp(
  `\\u001b\\[[0-9;:]{0,${MAX_PARAMETERS}}m|[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]`,
  "g",
);
const BEGUN = new RegExp(`\\u001b(?:\\[[0-9;:]{0,${MAX_PARAMETERS}})?$`);
const RESET = "\u001b[0m";

/**
 * One stream of a command on its way to a terminal. Colours pass; other control characters are shown (`^[`, `^G`,
 * `\x9b`), and bytes that are no UTF-8 are U+FFFD: a terminal that reads single bytes obeys some of those.
 */
export class TerminalFilter {
  readonly #decoder = new TextDecoder();
  /** The begin of what may become a change of colour with the next chunk. */
  #begun = "";
  #isColoured = false;

  write(chunk: Uint8Array): string {
    return this.#pass(this.#begun + this.#decoder.decode(chunk, { stream: true }), true);
  }

  /** What is still to be written when the command is over, and what ends its colours. */
  end(): { rest: string; reset: string } {
    const rest = this.#pass(this.#begun + this.#decoder.decode(), false);
    return { rest, reset: this.#isColoured ? RESET : "" };
  }

  #pass(text: string, mayGoOn: boolean): string {
    const begun = mayGoOn ? (BEGUN.exec(text)?.[0] ?? "") : "";
    this.#begun = begun;
    return text.slice(0, text.length - begun.length).replace(OBEYED, (found) => {
      if (found.length > 1) {
        this.#isColoured = true;
        return found;
      }
      const code = found.charCodeAt(0);
      if (code >= 0x80) return `\\x${code.toString(16)}`;
      return `^${String.fromCharCode(code === 0x7f ? 0x3f : code + 0x40)}`;
    });
  }
}
