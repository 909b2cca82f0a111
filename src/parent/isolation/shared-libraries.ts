/**
 * The files that a program needs before its first instruction: its loader and the libraries that the loader would
 * take, asked of the loader itself, which runs nothing of the program.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { runOnce } from "./run-once.ts";

/** Absolute paths, the loader first; none for a program that is linked statically. Throws when it is no ELF file. */
export async function sharedLibraries(program: string): Promise<string[]> {
  const loader = readLoader(program);
  if (loader === null) return [];
  const { ok, stdout, why } = await runOnce(loader, ["--list", program]);
  if (!ok) throw new Error(`${loader} cannot list the libraries of ${program}: ${why}`);
  const paths = stdout.split("\n").flatMap((line) => /(?:=> |^\s*)(\/\S+) \(0x/.exec(line)?.[1] ?? []);
  return [...new Set([loader, ...paths])];
}

const PROGRAM_INTERPRETER = 3;

/** The `PT_INTERP` of a 64-bit little-endian ELF file: all platforms that Node.js is built for on Linux but s390x. */
function readLoader(program: string): string | null {
  const fd = openSync(program, "r");
  try {
    const header = read(fd, 0, 64);
    if (header.toString("latin1", 0, 6) !== "\x7fELF\x02\x01")
      throw new Error(`${program} is no 64-bit ELF file`);
    const start = Number(header.readBigUInt64LE(32));
    const entryBytes = header.readUInt16LE(54);
    const count = header.readUInt16LE(56);
    for (let index = 0; index < count; index++) {
      const entry = read(fd, start + index * entryBytes, 56);
      if (entry.readUInt32LE(0) !== PROGRAM_INTERPRETER) continue;
      const path = read(fd, Number(entry.readBigUInt64LE(8)), Number(entry.readBigUInt64LE(32)));
      return path.toString("latin1").replace(/\0+$/, "");
    }
    return null;
  } finally {
    closeSync(fd);
  }
}

function read(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.min(length, 4096));
  readSync(fd, bytes, 0, bytes.length, position);
  return bytes;
}
