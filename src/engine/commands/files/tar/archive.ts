/** Tar archives as bytes: GNU's format written, and that, ustar and pax read. */
import { Buffer } from "node:buffer";
import { escapeStrayBytes, unescapeStrayBytes } from "../../../../workspace/stray-bytes.ts";

/** What a member is. */
export type MemberKind = "file" | "directory" | "symbolic link" | "hard link" | "other";

/** One member of an archive. */
export interface Member {
  readonly name: string;
  readonly kind: MemberKind;
  /** Permission bits. */
  readonly mode: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  readonly uid: number;
  readonly gid: number;
  readonly user: string;
  readonly group: string;
  readonly target: string;
  readonly content: Uint8Array;
}

const BLOCK = 512;
/** Archives are filled up to whole records. */
const RECORD = 10_240;
const TYPES: Readonly<Record<string, MemberKind>> = {
  "0": "file",
  "\0": "file",
  "7": "file",
  "1": "hard link",
  "2": "symbolic link",
  "5": "directory",
};
const TYPE_LETTERS: Readonly<Record<MemberKind, string>> = {
  file: "0",
  "hard link": "1",
  "symbolic link": "2",
  directory: "5",
  other: "6",
};
const EMPTY = new Uint8Array(0);

/** Thrown for bytes that are no archive, or only the beginning of one; the message is tar's. */
export class ArchiveError extends Error {}

/** The blocks of one member. */
export function encodeMember(member: Member): Buffer[] {
  const name = unescapeStrayBytes(member.name);
  const target = unescapeStrayBytes(member.target);
  const parts: Buffer[] = [];
  if (target.length > 100) parts.push(...longName("K", target));
  if (name.length > 100) parts.push(...longName("L", name));
  const letter = TYPE_LETTERS[member.kind];
  parts.push(
    header({ ...member, name, target, letter, size: member.content.length }),
    ...padded(member.content),
  );
  return parts;
}

/** What closes an archive of so many bytes. */
export function endOfArchive(length: number): Buffer {
  const full = Math.ceil((length + 2 * BLOCK) / RECORD) * RECORD;
  return Buffer.alloc(full - length);
}

interface RawHeader {
  readonly name: Buffer;
  readonly target: Buffer;
  readonly letter: string;
  readonly size: number;
  readonly mode: number;
  readonly mtime: number;
  readonly uid: number;
  readonly gid: number;
  readonly user: string;
  readonly group: string;
}

function longName(letter: string, name: Buffer): Buffer[] {
  const content = Buffer.concat([name, Buffer.alloc(1)]);
  const shared = {
    mode: 0o644,
    mtime: 0,
    uid: 0,
    gid: 0,
    user: "root",
    group: "root",
    target: Buffer.alloc(0),
  };
  return [
    header({ ...shared, name: Buffer.from("././@LongLink"), letter, size: content.length }),
    ...padded(content),
  ];
}

function padded(content: Uint8Array): Buffer[] {
  const rest = (BLOCK - (content.length % BLOCK)) % BLOCK;
  return [Buffer.from(content.buffer, content.byteOffset, content.length), Buffer.alloc(rest)];
}

function header(raw: RawHeader): Buffer {
  const block = Buffer.alloc(BLOCK);
  raw.name.copy(block, 0, 0, 100);
  writeNumber(block, 100, 8, raw.mode);
  writeNumber(block, 108, 8, raw.uid);
  writeNumber(block, 116, 8, raw.gid);
  writeNumber(block, 124, 12, raw.size);
  writeNumber(block, 136, 12, raw.mtime);
  block.write(raw.letter, 156, "latin1");
  raw.target.copy(block, 157, 0, 100);
  block.write("ustar  \0", 257, "latin1");
  block.write(raw.user.slice(0, 31), 265, "utf8");
  block.write(raw.group.slice(0, 31), 297, "utf8");
  block.fill(" ", 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

function writeNumber(block: Buffer, at: number, length: number, value: number): void {
  const digits = Math.max(0, Math.floor(value)).toString(8);
  if (digits.length < length) block.write(`${digits.padStart(length - 1, "0")}\0`, at, "latin1");
  else {
    block.writeBigUInt64BE(BigInt(Math.floor(value)), at + length - 8);
    block[at] = 0x80;
  }
}

function readNumber(block: Buffer, at: number, length: number): number {
  if (((block[at] ?? 0) & 0x80) !== 0) return Number(block.readBigUInt64BE(at + length - 8));
  const text = block
    .toString("latin1", at, at + length)
    .replace(/\0.*$/s, "")
    .trim();
  return text === "" ? 0 : Number.parseInt(text, 8);
}

function readText(block: Buffer, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return escapeStrayBytes(block.subarray(at, end < 0 || end > at + length ? at + length : end));
}

/** The members of an archive in their order. Throws an `ArchiveError` at what is none, after those before it. */
export function* membersOf(bytes: Uint8Array): Generator<Member> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let long: { name?: string; target?: string } = {};
  let pax: Map<string, string> = new Map();
  const global = new Map<string, string>();
  let isFirst = true;
  for (let at = 0; at + BLOCK <= buffer.length; ) {
    const block = buffer.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) return;
    if (!hasRightSum(block)) {
      throw new ArchiveError(isFirst ? "This does not look like a tar archive" : "Skipping to next header");
    }
    isFirst = false;
    const letter = String.fromCharCode(block[156] ?? 0);
    const size = Number(pax.get("size") ?? readNumber(block, 124, 12));
    const start = at + BLOCK;
    if (start + size > buffer.length && !/[1256]/.test(letter))
      throw new ArchiveError("Unexpected EOF in archive");
    const content = buffer.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    if (letter === "L" || letter === "K") {
      const text = escapeStrayBytes(
        content.subarray(0, Math.max(0, content.indexOf(0) < 0 ? size : content.indexOf(0))),
      );
      long = letter === "L" ? { ...long, name: text } : { ...long, target: text };
      continue;
    }
    if (letter === "x" || letter === "g") {
      if (letter === "x") pax = paxRecords(content);
      else for (const [key, value] of paxRecords(content)) global.set(key, value);
      continue;
    }
    const facts = new Map([...global, ...pax]);
    const isPosix = block.toString("latin1", 257, 263) === "ustar\0";
    const prefix = isPosix ? readText(block, 345, 155) : "";
    const short = readText(block, 0, 100);
    const name = long.name ?? facts.get("path") ?? (prefix === "" ? short : `${prefix}/${short}`);
    const isFolder = TYPES[letter] === "file" && name.endsWith("/");
    const kind = isFolder ? "directory" : (TYPES[letter] ?? "other");
    yield {
      name,
      kind,
      mode: readNumber(block, 100, 8) & 0o7777,
      mtime: Number(facts.get("mtime") ?? readNumber(block, 136, 12)),
      uid: readNumber(block, 108, 8),
      gid: readNumber(block, 116, 8),
      user: facts.get("uname") ?? readText(block, 265, 32),
      group: facts.get("gname") ?? readText(block, 297, 32),
      target: long.target ?? facts.get("linkpath") ?? readText(block, 157, 100),
      content: kind === "file" ? content : EMPTY,
    };
    long = {};
    pax = new Map();
  }
  if (isFirst && buffer.length > 0) throw new ArchiveError("This does not look like a tar archive");
}

function hasRightSum(block: Buffer): boolean {
  let sum = 8 * 32;
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte;
  return sum === readNumber(block, 148, 8);
}

function paxRecords(content: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(32, at);
    const length = Number(content.toString("latin1", at, space));
    if (space < 0 || !(length > 0)) break;
    const record = escapeStrayBytes(content.subarray(space + 1, at + length - 1));
    const equals = record.indexOf("=");
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}
