/**
 * Frames ↔ bytes. The bytes are msgpack, the code is ours: a general decoder takes types that this wire
 * must refuse before it can be told not to (msgpackr 2.1.4 makes 370 MB of objects in 1.8 s out of one
 * hostile 4 MiB frame, and costs 6 ms of each worker's start), and the subset needed here is small. Tests
 * compare both directions with msgpackr.
 */
import { PREFIX_BYTES, writePrefix } from "./frame.ts";
import { type ChunkFrame, type Frame, toFrame } from "./frame-kinds.ts";
import { ProtocolError } from "./protocol-error.ts";
import { readValue } from "./read-value.ts";
import { FRAME_TOO_LARGE, ValueWriter } from "./write-value.ts";

// Small frames are cut one after the other from a shared block, so that most cost no allocation of their
// own. A block is never written twice: a frame stays as it is for as long as its reader keeps it.
const BLOCK_BYTES = 16_384;
const LEAST_LEFT_BYTES = 1_024;
let block = new Uint8Array(0);
let used = 0;

/**
 * One or several frames as one run of bytes, each with its length in front.
 * Throws `VALUE_REFUSED` for what is not plain data and `FRAME_TOO_LARGE` for a frame above the cap.
 */
export function encodeFrames(frames: readonly Frame[], maxFrameBytes: number): Uint8Array {
  const start = startInBlock();
  const writer = new ValueWriter(block, start, 0);
  for (const frame of frames) {
    const frameStart = writer.at;
    writer.end = frameStart + PREFIX_BYTES + maxFrameBytes;
    writer.reserve(PREFIX_BYTES, PREFIX_BYTES);
    writer.at += PREFIX_BYTES;
    writer.write(frame);
    // The writer counts before it takes memory, to within a few bytes; this is the exact count.
    if (writer.at > writer.end) throw new ProtocolError("FRAME_TOO_LARGE", FRAME_TOO_LARGE);
    writePrefix(writer.bytes, frameStart, writer.at - frameStart - PREFIX_BYTES);
  }
  if (writer.bytes === block) used = writer.at;
  return writer.bytes.subarray(start, writer.at);
}

/** A chunk's frame up to its bytes, which are to be sent right after it: so they are not copied. */
export function encodeChunkHead({ bytes, ...rest }: ChunkFrame): Uint8Array {
  const start = startInBlock();
  const writer = new ValueWriter(block, start + PREFIX_BYTES, block.length);
  writer.writeUpToBytes(rest, "bytes", bytes.length);
  writePrefix(block, start, writer.at - start - PREFIX_BYTES + bytes.length);
  used = writer.at;
  return block.subarray(start, used);
}

/** Where the next frame begins in the shared block. */
function startInBlock(): number {
  if (block.length - used < LEAST_LEFT_BYTES) {
    block = new Uint8Array(BLOCK_BYTES);
    used = 0;
  }
  return used;
}

/** The payload of one frame, without its length. Throws `VALUE_REFUSED` or `SHAPE_REFUSED`. */
export function decodeFrame(payload: Uint8Array): Frame {
  return toFrame(readValue(payload));
}
