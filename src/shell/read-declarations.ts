/**
 * What `declare -p` printed, taken apart. The text is as hostile as the script that ran: it may be forged, and of any
 * length. So ends are found by a walk over characters, sizes are looked at before anything else is, and no expression
 * runs over a value that may be long: one of ten million characters overflows the stack of V8's.
 */
import { quote } from "../shared/quote.ts";

/** A word, as it was meant and as a shell reads it as nothing but text. */
export interface Word {
  /** `null`: written in a form (`$'…'`) that no plain text has. */
  readonly plain: string | null;
  readonly quoted: string;
}

export interface Variable {
  /** As printed: letters, or `-` for none. */
  readonly flags: string;
  /** `null`: declared without a value. */
  readonly value: Word | readonly Element[] | null;
}

export interface Element {
  readonly key: Word;
  readonly value: Word;
}

/** Longer ones no program could be started with. Counted over all elements of an array. */
const MAX_VALUE_LENGTH = 131_072;
/** How often each character may be looked at: a forged text can begin an array on every line and end it on none. */
const MOST_READINGS = 4;

const DECLARATION = /declare -([-a-zA-Z]{1,16}) ([A-Za-z_][A-Za-z0-9_]*)(?:(=)|\n|$)/y;
const BARE_KEY = /[\w./:@%+,-]+/y;

const QUOTE = 34;
const APOSTROPHE = 39;
const BACKSLASH = 92;

/** `leftBehind` has the names whose values could not be read or are too long, each as often as it came. */
export function readDeclarations(text: string): {
  variables: Map<string, Variable>;
  leftBehind: readonly string[];
} {
  const variables = new Map<string, Variable>();
  const leftBehind: string[] = [];
  let budget = text.length * MOST_READINGS;
  for (let at = 0; at < text.length; ) {
    DECLARATION.lastIndex = at;
    const [whole = "", flags = "", name = "", equals] = DECLARATION.exec(text) ?? [];
    const from = at + whole.length;
    const read: Read<Variable["value"]> =
      equals === undefined
        ? { value: null, end: text[from - 1] === "\n" ? from - 1 : from }
        : readValue(text, from);
    const { end } = read;
    budget -= end - at;
    const isEnded = end >= text.length || text[end] === "\n";
    // What is no declaration (a special parameter such as `?`) is passed over line by line.
    if (whole === "") at = nextLine(text, at);
    else if (isEnded && read.value !== undefined) {
      variables.set(name, { flags, value: read.value });
      at = end + 1;
    } else {
      leftBehind.push(name);
      at = isEnded && read.isWhole ? end + 1 : nextLine(text, at);
    }
    if (budget < 0) return { variables, leftBehind: [...leftBehind, name] };
  }
  return { variables, leftBehind };
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

interface Read<T> {
  /** Absent: it is no value, or too long. */
  readonly value?: T;
  /** How far was looked. */
  readonly end: number;
  /** Too long, but a value: what comes behind `end` is no part of it. */
  readonly isWhole?: boolean;
}

function readValue(text: string, at: number): Read<Word | readonly Element[]> {
  if (text[at] !== "(") return readWord(text, at);
  const elements: Element[] = [];
  let end = at + 1;
  let isTooLong = false;
  for (;;) {
    while (text[end] === " ") end++;
    if (text[end] === ")")
      return isTooLong ? { end: end + 1, isWhole: true } : { value: elements, end: end + 1 };
    if (text[end] !== "[") return { end };
    const key = readKey(text, end + 1);
    if (!isRead(key) || !text.startsWith("]=", key.end)) return { end: key.end };
    const value = readWord(text, key.end + 2);
    if (!isRead(value)) return { end: value.end };
    end = value.end;
    isTooLong ||= key.value === undefined || value.value === undefined || end - at > MAX_VALUE_LENGTH;
    if (isTooLong) elements.length = 0;
    else if (key.value !== undefined && value.value !== undefined)
      elements.push({ key: key.value, value: value.value });
  }
}

function isRead({ value, isWhole }: Read<Word>): boolean {
  return value !== undefined || isWhole === true;
}

function readKey(text: string, at: number): Read<Word> {
  BARE_KEY.lastIndex = at;
  const bare = BARE_KEY.exec(text)?.[0];
  if (bare === undefined) return readWord(text, at);
  const end = at + bare.length;
  return bare.length > MAX_VALUE_LENGTH
    ? { end, isWhole: true }
    : { value: { plain: bare, quoted: quote(bare) }, end };
}

/** One quoted word: `"…"` is quoted anew, `$'…'` holds nothing that a shell would expand. */
function readWord(text: string, at: number): Read<Word> {
  const isAnsi = text.startsWith("$'", at);
  if (!isAnsi && text[at] !== '"') return { end: at };
  const from = at + (isAnsi ? 2 : 1);
  const close = isAnsi ? APOSTROPHE : QUOTE;
  let end = from;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === close) break;
    if (code === BACKSLASH) end++;
  }
  if (end >= text.length) return { end: text.length };
  if (end - from > MAX_VALUE_LENGTH) return { end: end + 1, isWhole: true };
  const inner = text.slice(from, end);
  const plain = isAnsi
    ? null
    : inner.replace(/\\([\\"$`\n])/g, (_, one: string) => (one === "\n" ? "" : one));
  // `\047` for `\'`: a shell that has no `$'…'` finds the end where bash does.
  const quoted =
    plain === null
      ? `$'${inner.replace(/\\[\s\S]/g, (pair) => (pair === "\\'" ? "\\047" : pair))}'`
      : quote(plain);
  return { value: { plain, quoted }, end: end + 1 };
}
