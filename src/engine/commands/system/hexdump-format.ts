/** The format strings of `hexdump`: `8/2 "%04x " "\n"`. */
import type { Conversion } from "./c-format.ts";

/** One thing to print: text, or bytes turned into text. */
export type Piece =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "address"; readonly conversion: Conversion; readonly atEnd: boolean }
  | { readonly is: "data"; readonly conversion: Conversion; readonly bytes: number };

/** Pieces that are printed again and again. */
export interface Unit {
  readonly repeat: number;
  readonly repeatIsSet: boolean;
  readonly pieces: readonly Piece[];
  readonly bytes: number;
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  0: "\0",
};

/** The units of a format, or why it is none. */
export function parseHexdumpFormat(format: string): Unit[] | string {
  const units: Unit[] = [];
  const token = /\s*(?:(\d+)?\s*(?:\/\s*(\d+)\s*)?)"((?:[^"\\]|\\.)*)"/y;
  let rest = format.trimEnd();
  while (rest.trim() !== "") {
    token.lastIndex = 0;
    const match = token.exec(rest);
    if (match === null) return `bad format {${format}}`;
    rest = rest.slice(match[0].length);
    const [, count, size, text = ""] = match;
    const pieces = parsePieces(text, size === undefined ? undefined : Number(size));
    if (typeof pieces === "string") return pieces;
    const bytes = pieces.reduce((sum, piece) => sum + (piece.is === "data" ? piece.bytes : 0), 0);
    units.push({
      repeat: count === undefined ? 1 : Number(count),
      repeatIsSet: count !== undefined,
      pieces,
      bytes,
    });
  }
  return units;
}

function parsePieces(text: string, size: number | undefined): Piece[] | string {
  const pieces: Piece[] = [];
  const part = /%([-+ #0]*)(\d*)(?:\.(\d+))?(_[aA][dox]|_[cpu]|[a-zA-Z%])|[^%]+|%/y;
  for (let at = 0; at < text.length; at = part.lastIndex) {
    part.lastIndex = at;
    const match = part.exec(text);
    if (match === null) return `bad format {${text}}`;
    const [whole, flags = "", width, precision, letter] = match;
    if (letter === undefined || letter === "%") {
      pieces.push({ is: "text", text: withoutEscapes(letter === "%" ? "%" : whole) });
      continue;
    }
    const conversion: Conversion = {
      flags,
      width: Number(width || 0),
      precision: precision === undefined ? null : Number(precision),
      letter,
    };
    if (letter.startsWith("_a") || letter.startsWith("_A"))
      pieces.push({
        is: "address",
        conversion: { ...conversion, letter: letter.slice(2) },
        atEnd: letter[1] === "A",
      });
    else {
      const bytes = bytesOf(conversion, size);
      if (typeof bytes === "string") return bytes;
      pieces.push({ is: "data", conversion, bytes });
    }
  }
  return pieces;
}

function bytesOf({ letter, precision }: Conversion, size: number | undefined): number | string {
  const allowed = /^(?:_[cpu]|c)$/.test(letter)
    ? [1]
    : /^[diouxX]$/.test(letter)
      ? [4, 1, 2, 8]
      : /^[eEfgG]$/.test(letter)
        ? [8, 4]
        : [];
  if (letter === "s") return size ?? precision ?? "%s requires a precision or a byte count";
  const [usual] = allowed;
  if (usual === undefined) return `bad conversion character %${letter}`;
  if (size === undefined) return usual;
  return allowed.includes(size) ? size : `bad byte count for conversion character ${letter}`;
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(.)/gs, (_, letter: string) => ESCAPES[letter] ?? letter);
}
