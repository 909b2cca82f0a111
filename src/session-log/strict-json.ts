/**
 * Bytes from a client → what they say, without the leniences of `JSON.parse`: text that is no UTF-8, a key that comes
 * twice in one object (two readers could then see two values), and nesting beyond what can be kept are refused.
 */

/** `data` may have 100, and stands in the object of the append. */
const MAX_DEPTH = 101;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** @throws SyntaxError that says what is wrong; it quotes nothing of the text. */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  // Before the parse: what walks over the value later is recursive.
  const pairs = countPairs(text);
  const value = parse(text);
  if (countKeys(value) !== pairs) throw new SyntaxError("a key comes twice in one object");
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SyntaxError("it is no UTF-8");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Its message would quote the text.
    throw new SyntaxError("it is no JSON");
  }
}

/** In JSON a colon outside a string stands in each pair, and nowhere else. */
function countPairs(text: string): number {
  let pairs = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) index = endOfString(text, index);
    else if (character === COLON) pairs++;
    // "[" and "{", "]" and "}": 0x20 apart.
    else if ((character | 0x20) === 0x7b) depth++;
    else if ((character | 0x20) === 0x7d) depth--;
    if (depth > MAX_DEPTH) throw new SyntaxError(`it is nested deeper than ${MAX_DEPTH}`);
  }
  return pairs;
}

/** Index of the closing quote, or of the end of a text that has none. */
function endOfString(text: string, start: number): number {
  for (let index = text.indexOf('"', start + 1); index >= 0; index = text.indexOf('"', index + 1)) {
    let before = index - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    // An even number of backslashes escapes itself.
    if ((index - before) % 2 === 1) return index;
  }
  return text.length;
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts: unknown[] = Object.values(value);
  return parts.reduce<number>(
    (count, part) => count + countKeys(part),
    Array.isArray(value) ? 0 : parts.length,
  );
}
