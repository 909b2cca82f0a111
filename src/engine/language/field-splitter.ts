/**
 * The fields of one word while it is expanded: pieces of text, of which some may be split at `IFS` and some hold
 * patterns. POSIX: a run of `IFS` blanks, with at most one other `IFS` character in it, ends a field; only such
 * a character with nothing before it makes an empty field.
 */

/** One field: as a pattern, and as the text that it is when no file matches. */
export interface Field {
  pattern: string;
  text: string;
  /** Something unquoted in it may be a pattern. */
  globs: boolean;
}

const BLANK = new Set([" ", "\t", "\n"]);
const PATTERN = /[*?[\]\\()|]/g;

export class FieldSplitter {
  readonly fields: Field[] = [];
  readonly #ifs: ReadonlySet<string>;
  #field: Field | null = null;
  /** A blank has just ended a field: a delimiter that follows belongs to that end. */
  #endedByBlank = false;

  constructor(ifs: string) {
    this.#ifs = new Set(ifs);
  }

  /** Text that stays as it is. Even empty, it makes a field. */
  quoted(text: string): void {
    this.#add(text, text.replace(PATTERN, "\\$&"), false);
  }

  /** A pattern of the script's own; it is not split. */
  pattern(pattern: string, text: string): void {
    this.#add(text, pattern, true);
  }

  /** What an unquoted expansion gave. */
  split(value: string): void {
    let start = 0;
    for (let i = 0; i <= value.length; i++) {
      const char = value[i];
      if (char !== undefined && !this.#ifs.has(char)) continue;
      if (i > start) this.#add(value.slice(start, i), value.slice(start, i), true);
      start = i + 1;
      if (char === undefined) break;
      if (BLANK.has(char)) {
        if (this.#field !== null) {
          this.end();
          this.#endedByBlank = true;
        }
      } else if (this.#field !== null) {
        this.end();
      } else if (this.#endedByBlank) {
        this.#endedByBlank = false;
      } else {
        this.quoted("");
        this.end();
      }
    }
  }

  /** Ends the field that is open, if one is. */
  end(): void {
    if (this.#field !== null) this.fields.push(this.#field);
    this.#field = null;
    this.#endedByBlank = false;
  }

  #add(text: string, pattern: string, globs: boolean): void {
    this.#endedByBlank = false;
    if (this.#field === null) this.#field = { text, pattern, globs };
    else {
      this.#field.text += text;
      this.#field.pattern += pattern;
      this.#field.globs ||= globs;
    }
  }
}
