/**
 * `head`, `tail` and `wc -c` of one large file without reading it whole: a file above half a gigabyte is more than
 * a text can hold. What is asked in another way is read whole (`text/head-tail.ts`, `text/wc.ts`).
 */
import { Buffer } from "node:buffer";
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { joinBytes } from "../../shared/join-bytes.ts";

const LARGE_BYTES = 4 << 20;
const BLOCK_BYTES = 64 << 10;
const LINE_FEED = 10;
const UNITS: Readonly<Record<string, number>> = { k: 1 << 10, K: 1 << 10, M: 1 << 20, G: 1 << 30 };

/** `readFileBuffer` of `MountFs`, which the engine hands on with all arguments. */
interface PartReader {
  readFileBuffer(path: string, part: { offset: number; length: number }): Promise<Uint8Array>;
}

interface LargeFile {
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

export const largeFileCommands: Command[] = [
  defineCommand("head", async (args, ctx) => {
    const asked = readCount(args);
    const file = asked === null ? null : (endlessFile(ctx, asked) ?? (await largeFile(ctx, asked.path)));
    if (asked === null || file === null) return (await headAndTail()).head.execute(args, ctx);
    return asBytes(
      asked.unit === "bytes" ? await file.read(0, asked.count) : await firstLines(file, asked.count),
    );
  }),
  defineCommand("tail", async (args, ctx) => {
    const asked = readCount(args);
    const file = asked === null ? null : await largeFile(ctx, asked.path);
    if (asked === null || file === null) return (await headAndTail()).tail.execute(args, ctx);
    const start = Math.max(0, file.size - asked.count);
    return asBytes(
      asked.unit === "bytes" ? await file.read(start, asked.count) : await lastLines(file, asked.count),
    );
  }),
  defineCommand("wc", async (args, ctx) => {
    const [option, path, ...rest] = args;
    const isSize = (option === "-c" || option === "--bytes") && path !== undefined && rest.length === 0;
    const file = isSize ? await largeFile(ctx, path) : null;
    if (file === null) return (await import("./text/wc.ts")).wc.execute(args, ctx);
    return { stdout: `${file.size} ${path}\n`, stderr: "", exitCode: 0 };
  }),
];

function headAndTail() {
  return import("./text/head-tail.ts");
}

/** A device without an end gives as many bytes as are asked for. */
function endlessFile({ fs, cwd }: CommandContext, asked: { unit: string; path: string }): LargeFile | null {
  const path = fs.resolvePath(cwd, asked.path);
  if (asked.unit !== "bytes" || !/^\/dev\/(zero|u?random|full)$/.test(path)) return null;
  const reader = fs as unknown as PartReader;
  return { size: 0, read: (offset, length) => reader.readFileBuffer(path, { offset, length }) };
}

async function largeFile({ fs, cwd }: CommandContext, operand: string): Promise<LargeFile | null> {
  const path = fs.resolvePath(cwd, operand);
  const stat = await fs.stat(path).catch(() => null);
  if (stat === null || !stat.isFile || stat.size < LARGE_BYTES) return null;
  const reader = fs as unknown as PartReader;
  return { size: stat.size, read: (offset, length) => reader.readFileBuffer(path, { offset, length }) };
}

async function firstLines(file: LargeFile, count: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let missing = count;
  for (let offset = 0; offset < file.size && missing > 0; offset += BLOCK_BYTES) {
    const block = await file.read(offset, BLOCK_BYTES);
    let end = 0;
    while (missing > 0 && end < block.length) {
      const feed = block.indexOf(LINE_FEED, end);
      end = feed < 0 ? block.length : feed + 1;
      if (feed >= 0) missing--;
    }
    parts.push(block.subarray(0, end));
  }
  return joinBytes(parts);
}

async function lastLines(file: LargeFile, count: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  // A line feed at the very end closes the last line and begins none.
  let missing = count + ((await file.read(file.size - 1, 1))[0] === LINE_FEED ? 1 : 0);
  for (let end = file.size; end > 0 && count > 0; end -= BLOCK_BYTES) {
    const start = Math.max(0, end - BLOCK_BYTES);
    const block = await file.read(start, end - start);
    for (
      let at = block.lastIndexOf(LINE_FEED);
      at >= 0;
      at = at === 0 ? -1 : block.lastIndexOf(LINE_FEED, at - 1)
    ) {
      if (--missing === 0) return joinBytes([block.subarray(at + 1), ...parts]);
    }
    parts.unshift(block);
  }
  return joinBytes(parts);
}

/** What `head` and `tail` are asked for in their usual forms with one operand; null for any other. */
function readCount(args: readonly string[]): { unit: "bytes" | "lines"; count: number; path: string } | null {
  const path = args[args.length - 1];
  if (path === undefined || path.startsWith("-")) return null;
  const option = args.slice(0, -1).join(" ");
  const match = /^(?:-([cn]) ?(\d+)([kKMG]?)|-(\d+)|--(bytes|lines)[= ](\d+)([kKMG]?))?$/.exec(option);
  if (match === null) return null;
  const [, letter, ofLetter, letterUnit, bare, long, ofLong, longUnit] = match;
  const unit = letter === "c" || long === "bytes" ? "bytes" : "lines";
  const times = UNITS[letterUnit || longUnit || ""] ?? 1;
  return { unit, count: Number(ofLetter ?? bare ?? ofLong ?? 10) * times, path };
}

function asBytes(bytes: Uint8Array): ExecResult {
  const stdout = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return { stdout, stdoutKind: "bytes", stderr: "", exitCode: 0 };
}
