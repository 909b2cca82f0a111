/** `dd` as coreutils has it. Longer than most programs because it reads its own kind of operands. */
import { Buffer } from "node:buffer";
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { randomBytes } from "../../../workspace/node-fs.ts";
import { parseGnuOptions } from "../gnu-options.ts";
import { reasonOf } from "../reason.ts";
import { answer, answerBytes, pathOf, stdinBytes } from "./answer.ts";
import { toBytes } from "./sizes.ts";

const program = {
  name: "dd",
  options: {},
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: dd [OPERAND]...
Copy a file, with conversions.

  bs=BYTES        read and write up to BYTES at a time (default: 512)
  conv=CONVS      notrunc, excl, nocreat, sync, ucase, lcase, swab, noerror, fsync, fdatasync
  count=N         copy only N blocks
  ibs=BYTES       read up to BYTES at a time
  if=FILE         read from FILE and not from standard input
  iflag=FLAGS     fullblock, count_bytes, skip_bytes
  obs=BYTES       write BYTES at a time
  of=FILE         write to FILE and not to standard output
  oflag=FLAGS     append, seek_bytes
  seek=N, oseek=N skip N blocks of the output
  skip=N, iseek=N skip N blocks of the input
  status=LEVEL    none, noxfer or progress: what is told on standard error

      --help      display this help and exit
      --version   output version information and exit
`,
};

const CONVERSIONS = "notrunc excl nocreat sync ucase lcase swab noerror fsync fdatasync sparse".split(" ");
const FLAGS =
  "append direct directory dsync sync fullblock nonblock noatime nocache noctty nofollow count_bytes skip_bytes seek_bytes".split(
    " ",
  );
const PIECE_BYTES = 1 << 20;
/** What an endless device gives to a reader that sets no limit. */
const UNLIMITED = Number.POSITIVE_INFINITY;

interface Copy {
  readonly values: ReadonlyMap<string, string>;
  readonly conversions: ReadonlySet<string>;
  readonly status: string;
  readonly inputBlock: number;
  readonly outputBlock: number;
  /** Bytes. */
  readonly skip: number;
  readonly seek: number;
  readonly limit: number;
  readonly append: boolean;
}

interface Source {
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** `writeFile` and `readFileBuffer` of `MountFs`, which the engine hands on with all arguments. */
interface PartFs {
  writeFile(
    path: string,
    content: Uint8Array,
    encoding: "utf8",
    place: { offset: number } | { size: number },
  ): Promise<void>;
  readFileBuffer(path: string, part: { offset: number; length: number }): Promise<Uint8Array>;
}

export const dd: Command = defineCommand("dd", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const copy = readOperands(parsed.args.operands);
  if (typeof copy === "string") return answer("", `dd: ${copy}\n`);
  const startedMs = Date.now();
  const source = await openSource(copy, ctx);
  if (typeof source === "string") return answer("", `dd: ${source}\n`);
  const total = Math.min(Math.max(0, source.size - copy.skip), copy.limit);
  if (total === UNLIMITED)
    return answer("", `dd: '${copy.values.get("if")}' never ends: count= says how much of it to copy\n`);

  const sink = await openSink(copy, ctx);
  if (typeof sink === "string") return answer("", `dd: ${sink}\n`);
  const padded = copy.conversions.has("sync") ? Math.ceil(total / copy.inputBlock) * copy.inputBlock : total;
  // Whole input blocks, so that `swab` and the padding never meet the end of a piece.
  const step = Math.max(1, Math.floor(PIECE_BYTES / copy.inputBlock)) * copy.inputBlock;
  try {
    for (let at = 0; at < total; at += step) {
      const piece = Buffer.from(await source.read(copy.skip + at, Math.min(step, total - at)));
      const isLast = at + step >= total;
      await sink.write(
        convert(isLast ? Buffer.concat([piece, Buffer.alloc(padded - total)]) : piece, copy.conversions),
      );
    }
  } catch (error) {
    const name = copy.values.get("of") ?? "standard output";
    return sink.end(`dd: error writing '${name}': ${reasonOf(error)}\n`, 1);
  }
  return sink.end(report(total, padded, copy, (Date.now() - startedMs) / 1000), 0);
});

function readOperands(operands: readonly string[]): Copy | string {
  const values = new Map<string, string>();
  const lists: Record<"conv" | "iflag" | "oflag", string[]> = { conv: [], iflag: [], oflag: [] };
  for (const operand of operands) {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(operand) ?? [];
    if (!/^(if|of|bs|ibs|obs|cbs|count|skip|seek|iseek|oseek|conv|iflag|oflag|status)$/.test(name))
      return `unrecognized operand ‘${operand}’\nTry 'dd --help' for more information.`;
    if (name === "conv" || name === "iflag" || name === "oflag") lists[name].push(...value.split(","));
    else values.set(name === "iseek" ? "skip" : name === "oseek" ? "seek" : name, value);
  }
  for (const [list, known] of [
    ["conv", CONVERSIONS],
    ["iflag", FLAGS],
    ["oflag", FLAGS],
  ] as const) {
    const unknown = lists[list].find((word) => !known.includes(word));
    const what = list === "conv" ? "conversion" : list === "iflag" ? "input flag" : "output flag";
    if (unknown !== undefined) return `invalid ${what}: ‘${unknown}’\nTry 'dd --help' for more information.`;
  }
  const status = values.get("status") ?? "";
  if (status !== "" && !/^(none|noxfer|progress)$/.test(status))
    return `invalid status level: ‘${status}’\nTry 'dd --help' for more information.`;
  const numbers = new Map<string, number>();
  const inBytes = new Set<string>();
  for (const name of ["bs", "ibs", "obs", "count", "skip", "seek"]) {
    const text = values.get(name);
    if (text === undefined) continue;
    const number = toProduct(text);
    if (number === null || (name.endsWith("bs") && number === 0)) return `invalid number: ‘${text}’`;
    numbers.set(name, number);
    if (/B$/.test(text) && !/[KMGTPE]B$|kB$/.test(text)) inBytes.add(name);
  }
  const inputBlock = numbers.get("bs") ?? numbers.get("ibs") ?? 512;
  const outputBlock = numbers.get("bs") ?? numbers.get("obs") ?? 512;
  const scaled = (name: string, flag: string, block: number, flags: string[]): number =>
    (numbers.get(name) ?? 0) * (flags.includes(flag) || inBytes.has(name) ? 1 : block);
  return {
    values,
    conversions: new Set(lists.conv),
    status,
    inputBlock,
    outputBlock,
    skip: scaled("skip", "skip_bytes", inputBlock, lists.iflag),
    seek: scaled("seek", "seek_bytes", outputBlock, lists.oflag),
    limit: numbers.has("count") ? scaled("count", "count_bytes", inputBlock, lists.iflag) : UNLIMITED,
    append: lists.oflag.includes("append"),
  };
}

/** `2x1M`, `4k`, `512`, `100B`. */
function toProduct(text: string): number | null {
  let product = 1;
  for (const factor of text.split("x")) {
    const size = toBytes(factor, { c: 1, w: 2, b: 512, B: 1, k: 1024 });
    if (size === null) return null;
    product *= size;
  }
  return Number.isSafeInteger(product) ? product : null;
}

async function openSource({ values }: Copy, ctx: CommandContext): Promise<Source | string> {
  const name = values.get("if");
  if (name === undefined || name === "/dev/stdin") {
    const bytes = stdinBytes(ctx);
    return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
  }
  const path = pathOf(ctx, name);
  if (path === "/dev/zero" || path === "/dev/full")
    return { size: UNLIMITED, read: async (_, length) => new Uint8Array(length) };
  if (path === "/dev/urandom" || path === "/dev/random")
    return { size: UNLIMITED, read: async (_, length) => randomBytes(length) };
  const stat = await ctx.fs.stat(path).catch(reasonOf);
  if (typeof stat === "string") return `failed to open '${name}': ${stat}`;
  if (stat.isDirectory)
    return `error reading '${name}': Is a directory\n0+0 records in\n0+0 records out\n0 bytes copied, 0.0001 s, 0.0 kB/s`;
  const fs = ctx.fs as unknown as PartFs;
  if (path.startsWith("/dev/")) {
    const bytes = await ctx.fs.readFileBuffer(path).catch(reasonOf);
    if (typeof bytes === "string") return `failed to open '${name}': ${bytes}`;
    return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
  }
  const readable = await fs.readFileBuffer(path, { offset: 0, length: 0 }).catch(reasonOf);
  if (typeof readable === "string") return `failed to open '${name}': ${readable}`;
  return { size: stat.size, read: (offset, length) => fs.readFileBuffer(path, { offset, length }) };
}

interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  end(stderr: string, exitCode: number): ExecResult;
}

async function openSink(
  { values, conversions, seek, append }: Copy,
  ctx: CommandContext,
): Promise<Sink | string> {
  const name = values.get("of");
  if (name === undefined || name === "/dev/stdout") {
    const parts: Uint8Array[] = [];
    return {
      async write(bytes) {
        parts.push(bytes);
      },
      end: (stderr, exitCode) => answerBytes(Buffer.concat(parts), stderr, exitCode),
    };
  }
  const path = pathOf(ctx, name);
  const fs = ctx.fs as unknown as PartFs;
  const isThere = await ctx.fs.exists(path);
  if (isThere && conversions.has("excl")) return `failed to open '${name}': File exists`;
  if (!isThere && conversions.has("nocreat")) return `failed to open '${name}': No such file or directory`;
  const keeps = conversions.has("notrunc") || append;
  const failure = await (keeps
    ? ctx.fs.appendFile(path, "")
    : seek === 0
      ? ctx.fs.writeFile(path, "")
      : cut()
  ).catch(reasonOf);
  if (failure !== undefined) return `failed to open '${name}': ${failure}`;
  let offset = append ? (await ctx.fs.stat(path)).size : seek;
  return {
    async write(bytes) {
      await fs.writeFile(path, bytes, "utf8", { offset });
      offset += bytes.length;
    },
    end: (stderr, exitCode) => answer("", stderr, exitCode),
  };

  async function cut(): Promise<void> {
    await ctx.fs.appendFile(path, "");
    await fs.writeFile(path, Buffer.alloc(0), "utf8", { size: seek });
  }
}

function convert(bytes: Buffer, conversions: ReadonlySet<string>): Buffer {
  if (conversions.has("ucase") || conversions.has("lcase")) {
    const [first, last, by] = conversions.has("ucase") ? [97, 122, -32] : [65, 90, 32];
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte >= first && byte <= last) bytes[at] = byte + by;
    }
  }
  if (conversions.has("swab")) bytes.subarray(0, bytes.length & ~1).swap16();
  return bytes;
}

function report(total: number, written: number, copy: Copy, seconds: number): string {
  if (copy.status === "none") return "";
  const { inputBlock, outputBlock } = copy;
  const records = (bytes: number, block: number): string =>
    `${Math.floor(bytes / block)}+${bytes % block === 0 ? 0 : 1}`;
  const counts = `${records(total, inputBlock)} records in\n${records(written, outputBlock)} records out\n`;
  if (copy.status === "noxfer") return counts;
  const sizes = [
    `${written} byte${written === 1 ? "" : "s"}`,
    ...(written >= 1000 ? [human(written, 1000, "kMGTPE", "B")] : []),
    ...(written >= 1024 ? [human(written, 1024, "KMGTPE", "iB")] : []),
  ];
  const [bytes = "", ...units] = sizes;
  const shown = units.length === 0 ? bytes : `${bytes} (${units.join(", ")})`;
  const elapsed = Math.max(seconds, 0.0001);
  return `${counts}${shown} copied, ${Number(elapsed.toPrecision(6))} s, ${human(written / elapsed, 1000, "kMGTPE", "B")}/s\n`;
}

function human(size: number, base: number, letters: string, unit: string): string {
  let power = 0;
  let shown = size;
  while (shown >= base && power < letters.length) {
    shown /= base;
    power++;
  }
  const text = power > 0 && shown < 9.95 ? shown.toFixed(1) : String(Math.round(shown));
  return power === 0 ? `${text} B` : `${text} ${letters[power - 1]}${unit}`;
}
