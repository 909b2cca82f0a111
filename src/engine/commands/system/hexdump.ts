import { Buffer } from "node:buffer";
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { type GnuArguments, type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { answer, answerBytes, inputBytes } from "./answer.ts";
import { type Conversion, formatFloat, formatInteger, formatText } from "./c-format.ts";
import { type Piece, parseHexdumpFormat, type Unit } from "./hexdump-format.ts";
import { toBytes } from "./sizes.ts";

type Key =
  | "octalBytes"
  | "characters"
  | "canonical"
  | "decimal"
  | "octal"
  | "hex"
  | "format"
  | "file"
  | "length"
  | "skip"
  | "verbose"
  | "colour";

const program: GnuProgram<Key> = {
  name: "hexdump",
  options: {
    octalBytes: { short: "b", long: "one-byte-octal" },
    characters: { short: "c", long: "one-byte-char" },
    canonical: { short: "C", long: "canonical" },
    decimal: { short: "d", long: "two-bytes-decimal" },
    octal: { short: "o", long: "two-bytes-octal" },
    hex: { short: "x", long: "two-bytes-hex" },
    colour: { short: "L", long: "color", value: "optional" },
    format: { short: "e", long: "format", value: "required" },
    file: { short: "f", long: "format-file", value: "required" },
    length: { short: "n", long: "length", value: "required" },
    skip: { short: "s", long: "skip", value: "required" },
    verbose: { short: "v", long: "no-squeezing" },
  },
  compatibleWith: "util-linux 2.38.1",
  help: `Usage: hexdump [OPTION]... [FILE]...
Show FILEs, or standard input, in hexadecimal, decimal, octal or characters.

  -b, --one-byte-octal      -c, --one-byte-char      -C, --canonical
  -d, --two-bytes-decimal   -o, --two-bytes-octal    -x, --two-bytes-hex
  -e, --format=FORMAT       a format: [COUNT][/BYTES] "printf format"
  -f, --format-file=FILE    formats, one a line
  -n, --length=LENGTH       at most LENGTH bytes
  -s, --skip=OFFSET         skip OFFSET bytes
  -v, --no-squeezing        show lines that repeat, too
      --help                display this help and exit
      --version             output version information and exit
`,
};

const ADDRESS = '"%07.7_ax "';
const END = '"%07.7_Ax\n"';
const FORMATS: Partial<Record<Key | "default", readonly string[]>> = {
  default: [END, `${ADDRESS} 8/2 "%04x " "\n"`],
  octalBytes: [END, `${ADDRESS} 16/1 "%03o " "\n"`],
  characters: [END, `${ADDRESS} 16/1 "%3_c " "\n"`],
  canonical: ['"%08.8_Ax\n"', '"%08.8_ax  " 8/1 "%02x " "  " 8/1 "%02x "', '"  |" 16/1 "%_p" "|\n"'],
  decimal: [END, `${ADDRESS} 8/2 "  %05u " "\n"`],
  octal: [END, `${ADDRESS} 8/2 " %06o " "\n"`],
  hex: [END, `${ADDRESS} 8/2 "   %04x " "\n"`],
};

/** `hexdump` as util-linux has it. */
export const hexdump: Command = defineCommand("hexdump", async (args, ctx) => run(args, ctx));

/** `hd`: `hexdump -C`. */
export const hd: Command = defineCommand("hd", async (args, ctx) => run(["-C", ...args], ctx));

async function run(args: string[], ctx: CommandContext): Promise<ExecResult> {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has, value } = parsed.args;
  const formats = await readFormats(parsed.args, ctx);
  if (!Array.isArray(formats)) return formats;
  const limits = [value("length") ?? "", value("skip") ?? "0"].map((text) =>
    text === "" ? Number.POSITIVE_INFINITY : toCount(text),
  );
  const [length, skip] = limits;
  if (length === undefined || skip === undefined || limits.some(Number.isNaN))
    return usageError(program, "failed to parse length or offset");

  const parts: Buffer[] = [];
  let stderr = "";
  for (const name of operands.length === 0 ? ["-"] : operands) {
    const content = await inputBytes(ctx, name);
    if (typeof content === "string") stderr += `hexdump: ${name}: ${content}\n`;
    else parts.push(content);
  }
  if (stderr !== "" && parts.length === 0) stderr += "hexdump: all input file arguments failed\n";
  const bytes = Buffer.concat(parts).subarray(skip, skip + length);
  return answerBytes(Buffer.from(dump(bytes, skip, formats, has("verbose")), "latin1"), stderr);
}

async function readFormats(
  { given }: GnuArguments<Key>,
  ctx: CommandContext,
): Promise<Unit[][] | ExecResult> {
  const texts: string[] = [];
  for (const { key, value = "" } of given) {
    if (key === "format") texts.push(value);
    else if (key === "file") {
      const content = await inputBytes(ctx, value);
      if (typeof content === "string") return answer("", `hexdump: can't read ${value}: ${content}\n`);
      texts.push(
        ...content
          .toString("utf8")
          .split("\n")
          .filter((line) => !/^\s*(#|$)/.test(line)),
      );
    } else texts.push(...(FORMATS[key] ?? []));
  }
  const formats: Unit[][] = [];
  for (const text of texts.length === 0 ? (FORMATS.default ?? []) : texts) {
    const units = parseHexdumpFormat(text);
    if (typeof units === "string") return answer("", `hexdump: ${units}\n`);
    formats.push(units);
  }
  return formats;
}

function toCount(text: string): number {
  if (/^0x[\da-f]+$/i.test(text)) return Number(text);
  return toBytes(text, { b: 512, k: 1024 }) ?? Number.NaN;
}

function dump(bytes: Buffer, start: number, formats: readonly Unit[][], verbose: boolean): string {
  const sizes = formats.map((units) => units.reduce((sum, unit) => sum + unit.repeat * unit.bytes, 0));
  const block = Math.max(...sizes, 0);
  if (block === 0 || bytes.length === 0) return "";
  const filled = formats.map((units, index) => fill(units, block - (sizes[index] ?? 0)));
  const out: string[] = [];
  let before: Buffer | null = null;
  let isSqueezing = false;
  const end = start + bytes.length;
  for (let at = 0; at < bytes.length; at += block) {
    const part = bytes.subarray(at, at + block);
    if (!verbose && before?.equals(part)) {
      if (!isSqueezing) out.push("*\n");
      isSqueezing = true;
      continue;
    }
    isSqueezing = false;
    before = part;
    for (const units of filled) if (!atEnd(units)) out.push(show(units, part, start + at, end));
  }
  for (const units of filled) if (atEnd(units)) out.push(show(units, Buffer.alloc(0), end, end));
  return out.join("");
}

function atEnd(units: readonly Unit[]): boolean {
  return units.some(({ pieces }) => pieces.some((piece) => piece.is === "address" && piece.atEnd));
}

/** A format that takes fewer bytes than another repeats its last unit, unless that has a count of its own. */
function fill(units: readonly Unit[], missing: number): Unit[] {
  const last = units.findLastIndex(({ bytes }) => bytes > 0);
  return units.map((unit, index) =>
    index === last && !unit.repeatIsSet && missing > 0
      ? { ...unit, repeat: unit.repeat + Math.floor(missing / unit.bytes) }
      : unit,
  );
}

function show(units: readonly Unit[], part: Buffer, address: number, end: number): string {
  let text = "";
  let at = 0;
  for (const { repeat, pieces } of units) {
    for (let turn = 1; turn <= repeat; turn++) {
      const isLast = turn === repeat && repeat > 1;
      for (const [index, piece] of pieces.entries()) {
        let shown: string;
        if (piece.is === "text") shown = piece.text;
        else if (piece.is === "address") shown = formatInteger(BigInt(address + at), piece.conversion);
        else {
          shown = at >= part.length ? " ".repeat(piece.conversion.width) : showData(piece, part, at);
          at += piece.bytes;
        }
        // Of the last turn the blank at its end is left out.
        text +=
          isLast && index === pieces.length - 1
            ? shown.replace(/\s$/, piece.is === "text" ? "" : "$&")
            : shown;
      }
    }
  }
  return end >= address ? text : "";
}

const CHARACTER_ESCAPES: Readonly<Record<number, string>> = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};
const CHARACTER_NAMES =
  "nul soh stx etx eot enq ack bel bs ht lf vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us".split(
    " ",
  );

function showData({ conversion, bytes }: Piece & { is: "data" }, part: Buffer, at: number): string {
  const { letter } = conversion;
  const value = Buffer.alloc(Math.max(bytes, 8));
  part.copy(value, 0, at, at + bytes);
  const byte = value[0] ?? 0;
  const isPrintable = byte >= 32 && byte < 127;
  const character = String.fromCharCode(byte);
  if (letter === "_p") return formatText(isPrintable ? character : ".", conversion);
  if (letter === "c") return formatText(character, conversion);
  if (letter === "_u")
    return formatText(
      byte === 127
        ? "del"
        : byte < 32
          ? (CHARACTER_NAMES[byte] ?? "")
          : byte > 127
            ? byte.toString(16)
            : character,
      conversion,
    );
  if (letter === "_c")
    return formatText(
      CHARACTER_ESCAPES[byte] ?? (isPrintable ? character : byte.toString(8).padStart(3, "0")),
      conversion,
    );
  if (letter === "s") return formatText(value.toString("latin1", 0, bytes).replace(/\0.*$/s, ""), conversion);
  if (/[eEfgG]/.test(letter))
    return formatFloat(bytes === 4 ? value.readFloatLE() : value.readDoubleLE(), conversion as Conversion);
  const unsigned = value.readBigUInt64LE();
  const number =
    letter === "d" || letter === "i"
      ? BigInt.asIntN(bytes * 8, unsigned)
      : BigInt.asUintN(bytes * 8, unsigned);
  return formatInteger(number, conversion);
}
