/**
 * Counts what crosses the wire, in the worker: a module that is loaded before the worker's own, by an option that
 * anybody may give. It knows the length in front of a frame and nothing of what is in one.
 */

/** What has crossed since the worker's start, both ways together. */
export interface WireCounts {
  readonly frames: number;
  readonly bytes: number;
  /** Bytes that the worker allocated on its heap between the ends of commands: the median. */
  readonly heapBytes: number;
}

const MARK = "wire-tap ";

const PROGRAM = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { getHeapStatistics } from "node:v8";
const { writeSync } = fs;
let frames = 0, bytes = 0;
const counter = () => {
  const prefix = Buffer.alloc(4);
  let filled = 0, rest = 0;
  return (chunk) => {
    bytes += chunk.length;
    for (let at = 0; at < chunk.length;) {
      if (rest > 0) { const taken = Math.min(rest, chunk.length - at); rest -= taken; at += taken; continue; }
      prefix[filled++] = chunk[at++];
      if (filled === 4) { filled = 0; frames++; rest = prefix.readUInt32LE(0); }
    }
  };
};
const [incoming, outgoing] = [counter(), counter()];
const emit = process.stdin.emit;
process.stdin.emit = function (event, chunk) {
  if (event === "data") incoming(chunk);
  return emit.apply(this, arguments);
};
const heap = new Float64Array(100_000);
let ends = 0;
fs.writeSync = (fd, chunk, at = 0, length = chunk.length - at, ...rest) => {
  const written = writeSync(fd, chunk, at, length, ...rest);
  if (fd !== 1) return written;
  const piece = Buffer.from(chunk.buffer, chunk.byteOffset + at, written);
  outgoing(piece);
  if (piece.includes("exitCode")) heap[ends++] = getHeapStatistics().used_heap_size;
  return written;
};
syncBuiltinESMExports();
process.on("exit", () => {
  const steps = heap.subarray(1, ends).map((size, index) => size - heap[index]).sort();
  writeSync(2, ${JSON.stringify(`\n${MARK}`)} + JSON.stringify({ frames, bytes, heapBytes: steps[steps.length >> 1] ?? 0 }) + "\\n");
});
`;

/** What the worker's Node.js is given. */
export const WIRE_TAP = ["--import", `data:text/javascript,${encodeURIComponent(PROGRAM)}`];

/** Reads the counts out of what the worker said on its stderr until its end. */
export function readWireCounts(diagnostics: string): WireCounts {
  const line = diagnostics.split("\n").find((text) => text.startsWith(MARK));
  if (line === undefined) throw new Error("the worker told no counts at its end");
  return JSON.parse(line.slice(MARK.length)) as WireCounts;
}
