import { Buffer } from "node:buffer";
import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { type OdType, readTypes } from "./od-types.ts";
import { readOperands } from "./read-operands.ts";

/** Old options, each for a type. */
const TRADITIONAL = {
  a: "a",
  b: "o1",
  c: "c",
  d: "u2",
  f: "fF",
  i: "dI",
  l: "dL",
  o: "o2",
  s: "d2",
  x: "x2",
} as const;

type Traditional = keyof typeof TRADITIONAL;
type Key =
  | "radix"
  | "endian"
  | "skip"
  | "count"
  | "strings"
  | "stringsOf"
  | "type"
  | "all"
  | "width"
  | Traditional;

const traditionalOptions = Object.fromEntries(
  Object.keys(TRADITIONAL).map((letter) => [letter, { short: letter }]),
) as Record<Traditional, { short: string }>;

const program: GnuProgram<Key> = {
  name: "od",
  options: {
    radix: { short: "A", long: "address-radix", value: "required" },
    endian: { long: "endian", value: "required" },
    skip: { short: "j", long: "skip-bytes", value: "required" },
    count: { short: "N", long: "read-bytes", value: "required" },
    strings: { long: "strings", value: "optional" },
    stringsOf: { short: "S", value: "required" },
    type: { short: "t", long: "format", value: "required" },
    all: { short: "v", long: "output-duplicates" },
    width: { short: "w", long: "width", value: "optional" },
    ...traditionalOptions,
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: od [OPTION]... [FILE]...
  or:  od [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]

Write an unambiguous representation, octal bytes by default,
of FILE to standard output.  With more than one FILE argument,
concatenate them in the listed order to form the input.

  -A, --address-radix=RADIX   output format for file offsets; RADIX is one
                                of [doxn], for Decimal, Octal, Hex or None
      --endian={big|little}   swap input bytes according the specified order
  -j, --skip-bytes=BYTES      skip BYTES input bytes first
  -N, --read-bytes=BYTES      limit dump to BYTES input bytes
  -S BYTES, --strings[=BYTES]  output strings of at least BYTES graphic chars;
                                3 is implied when BYTES is not specified
  -t, --format=TYPE           select output format or formats
  -v, --output-duplicates     do not use * to mark line suppression
  -w[BYTES], --width[=BYTES]  output BYTES bytes per output line;
                                32 is implied when BYTES is not specified
      --help        display this help and exit
      --version     output version information and exit
`,
};

const MULTIPLIERS: Readonly<Record<string, number>> = {
  "": 1,
  b: 512,
  K: 1024,
  KB: 1000,
  KiB: 1024,
  M: 1024 ** 2,
  MB: 1000 ** 2,
  G: 1024 ** 3,
  GB: 1000 ** 3,
};

/** `od` as coreutils has it. */
export const od: Command = defineCommand("od", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { given, operands, has, value } = parsed.args;
  const fail = (why: string) => ({ stdout: "", stderr: `od: ${why}\n`, exitCode: 1 });

  const types: OdType[] = [];
  for (const one of given) {
    const text = one.key === "type" ? one.value : TRADITIONAL[one.key as Traditional];
    if (text === undefined) continue;
    const found = readTypes(text);
    if (typeof found === "string") return fail(found);
    types.push(...found);
  }
  if (types.length === 0) types.push(...(readTypes("o2") as OdType[]));

  const radix = value("radix") ?? "o";
  if (!/^[doxn]/.test(radix))
    return fail(`invalid output address radix '${radix}'; it must be one character from [doxn]`);
  const sizes = new Map<Key, number | undefined>();
  for (const key of ["skip", "count", "width", "strings", "stringsOf"] as const) {
    const text = value(key);
    const size = text === undefined ? undefined : readSize(text);
    if (size === null) return fail(`invalid ${OPTION_NAMES[key]} argument '${text}'`);
    sizes.set(key, size);
  }
  const unit = types.reduce((least, { size }) => Math.max(least, size), 1);
  const asked = has("width") ? (sizes.get("width") ?? 32) : Math.max(16, unit);
  const width = asked > 0 && asked % unit === 0 ? asked : unit;
  const warning = width === asked ? "" : `od: warning: invalid width ${asked}; using ${width} instead\n`;

  const read = await readOperands("od", operands, ctx);
  if (read.files.length === 0) return { stdout: "", stderr: read.stderr, exitCode: 1 };
  const skip = sizes.get("skip") ?? 0;
  const input = Buffer.from(read.files.map(({ bytes }) => bytes).join(""), "latin1");
  if (skip > input.length)
    return { stdout: "", stderr: `${read.stderr}od: cannot skip past end of combined input\n`, exitCode: 1 };
  const bytes = input.subarray(skip, skip + (sizes.get("count") ?? input.length));
  const stdout =
    has("strings") || has("stringsOf")
      ? dumpStrings(bytes, skip, radix, sizes.get("stringsOf") ?? sizes.get("strings") ?? 3)
      : dump(bytes, { types, radix, skip, width, all: has("all"), isBig: value("endian") === "big" });
  return { stdout, stderr: warning + read.stderr, exitCode: read.stderr === "" ? 0 : 1 };
});

const OPTION_NAMES = {
  skip: "--skip-bytes",
  count: "--read-bytes",
  width: "--width",
  strings: "--strings",
  stringsOf: "-S",
};

function readSize(text: string): number | null {
  const [, digits, suffix = ""] = /^(0[xX][0-9a-fA-F]+|\d+)([a-zA-Z]*)$/.exec(text) ?? [];
  const multiplier = MULTIPLIERS[suffix] ?? MULTIPLIERS[suffix.toUpperCase()];
  if (digits === undefined || multiplier === undefined) return null;
  const isOctal = /^0[0-7]+$/.test(digits);
  return (isOctal ? Number.parseInt(digits, 8) : Number(digits)) * multiplier;
}

interface Dump {
  readonly types: readonly OdType[];
  readonly radix: string;
  readonly skip: number;
  readonly width: number;
  readonly all: boolean;
  readonly isBig: boolean;
}

function dump(bytes: Buffer, { types, radix, skip, width, all, isBig }: Dump): string {
  const lineWidths = types.map((type) => (type.width + 1) * (width / type.size));
  const longest = Math.max(...lineWidths);
  const margin = " ".repeat(address(0, radix).length);
  const lines: string[] = [];
  let before: Buffer | null = null;
  let isRepeating = false;
  for (let at = 0; at < bytes.length; at += width) {
    const block = bytes.subarray(at, at + width);
    if (!all && before !== null && block.length === width && block.equals(before)) {
      if (!isRepeating) lines.push("*");
      isRepeating = true;
      continue;
    }
    isRepeating = false;
    before = block;
    types.forEach((type, index) => {
      const padding = longest - (lineWidths[index] ?? 0);
      const start = index === 0 ? address(skip + at, radix) : margin;
      lines.push(start + writeBlock(block, type, width, padding, isBig));
    });
  }
  if (radix !== "n") lines.push(address(skip + bytes.length, radix));
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

/** One line; `padding` blanks are spread over the values, so that all types of a dump line up. */
function writeBlock(block: Buffer, type: OdType, width: number, padding: number, isBig: boolean): string {
  const count = width / type.size;
  let line = "";
  let left = padding;
  for (let index = 0; index < count; index++) {
    const next = Math.floor((padding * (count - 1 - index)) / count);
    const cell = left - next + type.width + 1;
    left = next;
    if (index * type.size >= block.length) {
      if (!type.showsText) break;
      line += " ".repeat(cell);
      continue;
    }
    const value = Buffer.alloc(type.size);
    block.copy(value, 0, index * type.size, (index + 1) * type.size);
    line += type.write(isBig ? value.reverse() : value).padStart(cell);
  }
  if (!type.showsText) return line;
  return `${line}  >${block.toString("latin1").replace(/[^ -~]/g, ".")}<`;
}

function dumpStrings(bytes: Buffer, skip: number, radix: string, least: number): string {
  let text = "";
  for (const { 0: found, index } of bytes.toString("latin1").matchAll(/[ -~\cG-\r]+(?=\0)/g)) {
    if (found.length < least) continue;
    const shown = found.replace(/[\cG-\r]/g, (char) => `\\${"abtnvfr"[char.charCodeAt(0) - 7]}`);
    text += `${radix === "n" ? "" : `${address(skip + index, radix)} `}${shown}\n`;
  }
  return text;
}

function address(offset: number, radix: string): string {
  if (radix === "n") return "";
  if (radix === "x") return offset.toString(16).padStart(6, "0");
  return offset.toString(radix === "d" ? 10 : 8).padStart(7, "0");
}
