import { expect, test } from "vitest";
import { FrameReader, writePrefix } from "../../../src/protocol/frame.ts";

function framed(...payloads: readonly number[][]): Uint8Array {
  const parts = payloads.flatMap((payload) => {
    const prefix = new Uint8Array(4);
    writePrefix(prefix, 0, payload.length);
    return [...prefix, ...payload];
  });
  return new Uint8Array(parts);
}

function collect(maxFrameBytes: number): { reader: FrameReader; seen: number[][] } {
  const seen: number[][] = [];
  return { reader: new FrameReader(maxFrameBytes, (payload) => seen.push([...payload])), seen };
}

test("the length is little-endian and does not count itself", () => {
  const prefix = new Uint8Array(4);
  writePrefix(prefix, 0, 0x01020304);
  expect([...prefix]).toEqual([4, 3, 2, 1]);
});

test("frames are found whether they come whole, in one piece together, or byte by byte", () => {
  const stream = framed([1], [], [2, 3, 4], [5]);
  for (const size of [stream.length, 1, 2, 3, 5, 7]) {
    const { reader, seen } = collect(8);
    for (let at = 0; at < stream.length; at += size) reader.push(stream.subarray(at, at + size));
    expect(seen).toEqual([[1], [], [2, 3, 4], [5]]);
  }
});

test("a frame of exactly the cap is read and one byte more is refused", () => {
  const { reader, seen } = collect(3);
  reader.push(framed([1, 2, 3]));
  expect(seen).toEqual([[1, 2, 3]]);
  expect(() => reader.push(new Uint8Array([4, 0, 0, 0]))).toThrow(
    expect.objectContaining({ code: "FRAME_TOO_LARGE" }),
  );
});

test.each([
  ["whole", [[0xff, 0xff, 0xff, 0xff]]],
  ["split", [[0xff], [0xff, 0xff], [0xff]]],
])("a length of 4 GiB that comes %s is refused before anything is allocated", (_how, pieces) => {
  const { reader, seen } = collect(4_194_304);
  const before = process.memoryUsage().arrayBuffers;
  expect(() => {
    for (const piece of pieces) reader.push(new Uint8Array(piece));
  }).toThrow(expect.objectContaining({ code: "FRAME_TOO_LARGE" }));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_048_576);
  expect(seen).toEqual([]);
});

test("what the frame handler throws comes out of push", () => {
  const reader = new FrameReader(8, () => {
    throw new Error("enough");
  });
  expect(() => reader.push(framed([1]))).toThrow("enough");
});

test("a payload that came in pieces is memory of its own", () => {
  let kept: Uint8Array | undefined;
  const reader = new FrameReader(8, (payload) => {
    kept = payload;
  });
  const stream = framed([1, 2, 3]);
  reader.push(stream.subarray(0, 5));
  reader.push(stream.subarray(5));
  stream.fill(0);
  expect(kept).toEqual(new Uint8Array([1, 2, 3]));
});
