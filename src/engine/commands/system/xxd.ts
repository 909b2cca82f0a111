/** `xxd` of vim. Longer than most programs because it writes five formats and reads two. */
import { Buffer } from "node:buffer";
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { reasonOf } from "../reason.ts";
import { answer, answerBytes, inputBytes, pathOf } from "./answer.ts";

const HELP = `Usage:
       xxd [options] [infile [outfile]]
    or
       xxd -r [-s [-]offset] [-c cols] [-p] [infile [outfile]]
Options:
    -a          one '*' for lines of zero bytes
    -b          bits and not hex
    -C          capital names in C output (-i)
    -c cols     bytes per line: 16, -i 12, -p 30, -b 6
    -d          offsets in decimal
    -e          little-endian groups
    -g bytes    bytes per group: 2, -e 4, -b 1
    -i          C source
    -l len      stop after len bytes
    -n name     the name in C output (-i)
    -o off      add off to the offsets shown
    -p          plain hex
    -r          reverse: hex to bytes
    -s seek     start at seek bytes; with - from the end
    -u          upper case hex
`;

const MAX_COLS = 256;

interface Options {
  flags: Set<string>;
  cols: number | null;
  group: number | null;
  length: number;
  name: string | null;
  offset: number;
  seek: { readonly bytes: number; readonly fromEnd: boolean };
  operands: string[];
}

export const xxd: Command = defineCommand("xxd", async (args, ctx) => {
  const options = readArguments(args);
  if (options === null) return answer("", HELP, 1);
  if (options.flags.has("v"))
    return answer("", "xxd (compatible with 2022-01-14 by Juergen Weigert et al.)\n", 0);
  if (options.flags.has("h")) return answer("", HELP, 1);
  const { flags, operands } = options;
  const [name = "-", output] = operands;
  if (operands.length > 2) return answer("", HELP, 1);
  if (options.cols !== null && options.cols > MAX_COLS && !flags.has("p") && !flags.has("i"))
    return answer("", `xxd: invalid number of columns (max. ${MAX_COLS}).\n`, 1);
  const input = await inputBytes(ctx, name);
  if (typeof input === "string") return answer("", `xxd: ${name}: ${input}\n`, 2);
  const plainWrap = options.cols ?? 30;
  if (flags.has("r")) {
    const bytes = flags.has("p") ? readPlain(input) : await readDump(input, options, ctx, output);
    if (typeof bytes === "string") return answer("", `xxd: ${bytes}\n`, 5);
    return deliver(bytes, output, ctx);
  }
  const start = options.seek.fromEnd ? input.length - options.seek.bytes : options.seek.bytes;
  if (start < 0) return answer("", "xxd: Sorry, cannot seek.\n", 4);
  const bytes = input.subarray(start, start + options.length);
  let text: string;
  if (flags.has("p")) text = plain(bytes, plainWrap, flags.has("u"));
  else if (flags.has("i")) text = cSource(bytes, options, name);
  else {
    const group = options.group ?? (flags.has("e") ? 4 : flags.has("b") ? 1 : 2);
    if (flags.has("e") && (group & (group - 1)) !== 0)
      return answer("", "xxd: number of octets per group must be a power of 2 with -e.\n", 1);
    text = dump(bytes, start + options.offset, options, group);
  }
  return deliver(Buffer.from(text, "latin1"), output, ctx);
});

async function deliver(bytes: Buffer, output: string | undefined, ctx: CommandContext): Promise<ExecResult> {
  if (output === undefined || output === "-") return answerBytes(bytes);
  const failure = await ctx.fs.writeFile(pathOf(ctx, output), bytes).catch(reasonOf);
  return failure === undefined ? answer("") : answer("", `xxd: ${output}: ${failure}\n`, 3);
}

/** xxd looks at the start of an option alone: `-ps`, `-plain` and `--postscript` are `-p`. Not getopt's way. */
function readArguments(args: readonly string[]): Options | null {
  const options: Options = {
    flags: new Set(),
    cols: null,
    group: null,
    length: Number.POSITIVE_INFINITY,
    name: null,
    offset: 0,
    seek: { bytes: 0, fromEnd: false },
    operands: [],
  };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      options.operands.push(...args.slice(at + 1));
      return options;
    }
    if (!arg.startsWith("-") || arg === "-") {
      options.operands.push(...args.slice(at));
      return options;
    }
    const option = arg.startsWith("--") ? arg.slice(1) : arg;
    const letter = option[1] ?? "";
    if (letter === "c" && option.startsWith("apitalize", 2)) options.flags.add("C");
    else if ("cglnos".includes(letter)) {
      const long =
        {
          c: "ols",
          g: "roup",
          l: "en",
          n: "ame",
          o: "ffset",
          s: /^-(skip|seek)/.test(option) ? option.slice(2, 5) : "kip",
        }[letter] ?? "";
      const attached = option.slice(2);
      const value = attached !== "" && !attached.startsWith(long.slice(0, 2)) ? attached : args[++at];
      if (value === undefined) return null;
      const number = toNumber(value.replace(/^\+/, ""));
      if (letter === "n") options.name = value;
      else if (number === null) return null;
      else if (letter === "c") options.cols = number;
      else if (letter === "g") options.group = number;
      else if (letter === "l") options.length = number;
      else if (letter === "o") options.offset = number;
      else options.seek = { bytes: Math.abs(number), fromEnd: number < 0 };
    } else if ("abCdeEhiprRuv".includes(letter)) options.flags.add(letter);
    else return null;
  }
  return options;
}

function toNumber(text: string): number | null {
  const [, sign = "", digits = ""] = /^(-?)(0x[\da-f]+|\d+)$/i.exec(text) ?? [];
  if (digits === "") return null;
  const size = /^0\d/.test(digits) ? Number.parseInt(digits, 8) : Number(digits);
  return sign === "-" ? -size : size;
}

function plain(bytes: Buffer, cols: number, upper: boolean): string {
  const hex = upper ? bytes.toString("hex").toUpperCase() : bytes.toString("hex");
  if (cols === 0) return hex === "" ? "" : `${hex}\n`;
  return (hex.match(new RegExp(`.{1,${cols * 2}}`, "g")) ?? []).map((line) => `${line}\n`).join("");
}

function cSource(bytes: Buffer, { flags, cols, name }: Options, file: string): string {
  const perLine = cols ?? 12;
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += perLine) {
    const values = [...bytes.subarray(at, at + perLine)].map((byte) => {
      const hex = byte.toString(16).padStart(2, "0");
      return flags.has("u") ? `0X${hex.toUpperCase()}` : `0x${hex}`;
    });
    lines.push(`  ${values.join(", ")}`);
  }
  const body = lines.length === 0 ? "" : `${lines.join(",\n")}\n`;
  if (file === "-" && name === null) return body;
  const plainName = (name ?? file).replace(/[^A-Za-z0-9]/g, "_").replace(/^(?=\d)/, "__");
  const shown = flags.has("C") ? plainName.toUpperCase() : plainName;
  return `unsigned char ${shown}[] = {\n${body}};\nunsigned int ${shown}${flags.has("C") ? "_LEN" : "_len"} = ${bytes.length};\n`;
}

function dump(bytes: Buffer, offset: number, options: Options, groupAsked: number): string {
  const { flags } = options;
  const cols = options.cols ?? (flags.has("b") ? 6 : 16);
  const group = groupAsked === 0 || groupAsked > cols ? cols : groupAsked;
  const perByte = flags.has("b") ? 8 : 2;
  const perGroup = perByte * group + 1;
  const textAt = Math.floor((perGroup * cols - 1) / group) + 2;
  const lines: string[] = [];
  const isZero = (line: Buffer): boolean => flags.has("a") && line.every((byte) => byte === 0);
  let zeroLines: string[] = [];
  const flush = (): void => {
    if (zeroLines.length > 2) lines.push(zeroLines[0] ?? "", "*\n");
    else lines.push(...zeroLines);
    zeroLines = [];
  };
  for (let at = 0; at < bytes.length; at += cols) {
    const line = bytes.subarray(at, at + cols);
    const cells: string[] = Array.from({ length: textAt }, () => " ");
    let text = "";
    for (const [index, byte] of line.entries()) {
      const digits = flags.has("b") ? byte.toString(2).padStart(8, "0") : byte.toString(16).padStart(2, "0");
      const place = flags.has("e") ? index ^ (group - 1) : index;
      const from = Math.floor(place / group) * perGroup + (place % group) * perByte;
      for (const [digit, character] of [...(flags.has("u") ? digits.toUpperCase() : digits)].entries())
        cells[from + digit] = character;
      text += byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".";
    }
    const address = flags.has("d")
      ? String(offset + at).padStart(8, "0")
      : (offset + at).toString(16).padStart(8, "0");
    const whole = `${address}: ${cells.slice(0, textAt).join("").padEnd(textAt)}${text}\n`;
    if (isZero(line) && line.length === cols) zeroLines.push(whole);
    else {
      flush();
      lines.push(whole);
    }
  }
  // The last line is always shown.
  const last = zeroLines.length > 2 ? zeroLines.at(-1) : undefined;
  flush();
  if (last !== undefined) lines.push(last);
  return lines.join("");
}

function readPlain(input: Buffer): Buffer {
  // A digit without a partner before the end of its line is left out, as anything that is no digit.
  const digits = input.toString("latin1").replace(/[^\da-fA-F]/g, "");
  return Buffer.from(digits.slice(0, digits.length & ~1), "hex");
}

/** A dump lies over what the output file holds; on standard output it can only go forward. */
async function readDump(
  input: Buffer,
  { seek, cols }: Options,
  ctx: CommandContext,
  output?: string,
): Promise<Buffer | string> {
  const isFile = output !== undefined && output !== "-";
  const before = isFile
    ? await ctx.fs.readFileBuffer(pathOf(ctx, output)).catch(() => Buffer.alloc(0))
    : Buffer.alloc(0);
  const parts: { at: number; bytes: Buffer }[] = [];
  let end = 0;
  for (const line of input.toString("latin1").split("\n")) {
    const [, address = "", rest = ""] = /^\s*([\da-fA-F]+):?\s(.*)$/.exec(line) ?? [];
    if (address === "") continue;
    const [pairs = ""] = /^ ?(?:[\da-fA-F]{2} ?)*/.exec(rest.replace(/^ +/, "")) ?? [];
    const bytes = Buffer.from(pairs.replaceAll(" ", ""), "hex").subarray(0, cols ?? 16);
    const at = Number.parseInt(address, 16) + (seek.fromEnd ? -seek.bytes : seek.bytes);
    if (at < 0 || (!isFile && at < end)) return "sorry, cannot seek backwards";
    end = Math.max(end, at + bytes.length);
    parts.push({ at, bytes });
  }
  const whole = Buffer.alloc(Math.max(end, before.length));
  whole.set(before);
  for (const { at, bytes } of parts) whole.set(bytes, at);
  return whole;
}
