/** `od -t`: what a type string means, and how one value of a type is written. */
import type { Buffer } from "node:buffer";

/** One way of writing values. */
export interface OdType {
  /** Bytes of one value. */
  readonly size: number;
  /** Characters of the longest value. */
  readonly width: number;
  /** The line's characters stand at its end (`z`). */
  readonly showsText: boolean;
  /** One value; `bytes` are in the order of the machine. */
  write(bytes: Buffer): string;
}

const NAMES =
  "nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp".split(
    " ",
  );
const ESCAPES: Readonly<Record<number, string>> = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};
const SIZES: Readonly<Record<string, number>> = { C: 1, S: 2, I: 4, L: 8, F: 4, D: 8 };
/** Digits of the largest value: sizes 1, 2, 4, 8. */
const WIDTHS: Readonly<Record<string, readonly number[]>> = {
  o: [3, 6, 11, 22],
  x: [2, 4, 8, 16],
  u: [3, 5, 10, 20],
  d: [4, 6, 11, 20],
};

/** The types of one `-t` value, or why it means nothing. */
export function readTypes(text: string): OdType[] | string {
  const types: OdType[] = [];
  const one = /([acdfoux])([1248]|C|S|I|L|F|D|\d+)?(z)?/y;
  while (one.lastIndex < text.length) {
    const from = one.lastIndex;
    const found = one.exec(text);
    if (found === null) return `invalid character '${text.charAt(from)}' in type string '${text}'`;
    const [, letter = "", sizeText, z] = found;
    if (letter === "a" || letter === "c") {
      if (sizeText !== undefined) return `invalid character '${sizeText.charAt(0)}' in type string '${text}'`;
      const write = letter === "a" ? writeName : writeCharacter;
      types.push({ size: 1, width: 3, showsText: z !== undefined, write: (bytes) => write(bytes[0] ?? 0) });
      continue;
    }
    const size = sizeText === undefined ? (letter === "f" ? 8 : 4) : (SIZES[sizeText] ?? Number(sizeText));
    const type = letter === "f" ? floatType(size) : integerType(letter, size);
    if (type === null)
      return `invalid type string '${text}';\nthis system doesn't provide a ${size}-byte ${letter === "f" ? "floating point" : "integral"} type`;
    types.push({ ...type, showsText: z !== undefined });
  }
  return types;
}

function integerType(letter: string, size: number): Omit<OdType, "showsText"> | null {
  const width = WIDTHS[letter]?.[Math.log2(size)];
  if (width === undefined) return null;
  const base = letter === "o" ? 8 : letter === "x" ? 16 : 10;
  return {
    size,
    width,
    write(bytes) {
      if (size === 8) {
        const value = letter === "d" ? bytes.readBigInt64LE() : bytes.readBigUInt64LE();
        return pad(value.toString(base), letter, width);
      }
      const value = letter === "d" ? bytes.readIntLE(0, size) : bytes.readUIntLE(0, size);
      return pad(value.toString(base), letter, width);
    },
  };
}

function pad(digits: string, letter: string, width: number): string {
  return letter === "o" || letter === "x" ? digits.padStart(width, "0") : digits;
}

function floatType(size: number): Omit<OdType, "showsText"> | null {
  if (size === 4)
    return {
      size,
      width: 15,
      write: (bytes) => shortest(bytes.readFloatLE(), 6, (text) => Math.fround(Number(text))),
    };
  if (size === 8) return { size, width: 24, write: (bytes) => shortest(bytes.readDoubleLE(), 15, Number) };
  return null;
}

/** The fewest digits that give the same number again, as C's `%g` writes them. */
function shortest(value: number, leastDigits: number, readBack: (text: string) => number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (Object.is(value, -0)) return "-0";
  let digits = leastDigits;
  while (digits < 17 && readBack(value.toExponential(digits - 1)) !== value) digits++;
  const [mantissa = "0", exponentText = "0"] = value.toExponential(digits - 1).split("e");
  const exponent = Number(exponentText);
  const trimmed = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  if (exponent >= -4 && exponent < digits) {
    const plain = value.toFixed(Math.max(0, digits - 1 - exponent));
    return plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain;
  }
  return `${trimmed}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function writeName(byte: number): string {
  const code = byte & 0x7f;
  return code === 0x7f ? "del" : (NAMES[code] ?? String.fromCharCode(code));
}

function writeCharacter(byte: number): string {
  if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
  return ESCAPES[byte] ?? byte.toString(8).padStart(3, "0");
}
