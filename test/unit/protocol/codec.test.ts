import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { decodeFrame, encodeChunkHead, encodeFrames } from "../../../src/protocol/codec.ts";
import type { ChunkFrame, Frame } from "../../../src/protocol/frame-kinds.ts";
import { readValue } from "../../../src/protocol/read-value.ts";
import { MAX_DEPTH, MAX_NODES } from "../../../src/protocol/value-caps.ts";

// The reference implementation of the bytes: it packs what a hostile peer could send.
const { Packr } = createRequire(import.meta.url)("msgpackr/index-no-eval") as typeof import("msgpackr");

const refusal = expect.objectContaining({ name: "ProtocolError", code: "VALUE_REFUSED" });
const request = (params: unknown): Frame => ({ kind: "request", id: 1, name: "exec", params, bodyBytes: 0 });
const encode = (frame: Frame, cap = 4_194_304): Uint8Array => encodeFrames([frame], cap);
const payload = (encoded: Uint8Array): Uint8Array => encoded.subarray(4);
const utf8 = (text: string): number[] => [...new TextEncoder().encode(text)];

test.each([
  ["null", null],
  ["true", true],
  ["false", false],
  ["0", 0],
  ["127", 127],
  ["128", 128],
  ["2^32-1", 4_294_967_295],
  ["2^32", 4_294_967_296],
  ["2^53-1", Number.MAX_SAFE_INTEGER],
  ["-1", -1],
  ["-32", -32],
  ["-33", -33],
  ["-2^31", -2_147_483_648],
  ["-2^31-1", -2_147_483_649],
  ["1.5", 1.5],
  ["an empty string", ""],
  ["31 ASCII characters", "x".repeat(31)],
  ["32 ASCII characters", "x".repeat(32)],
  ["text of every width", "aß水🐚\u0000\ufeff"],
  ["text that starts with a byte order mark", "\ufeffx"],
  ["100,000 characters", "é".repeat(100_000)],
  ["no bytes", new Uint8Array(0)],
  ["70,000 bytes", new Uint8Array(70_000).fill(7)],
  ["an array of 16", Array.from({ length: 16 }, (_, index) => index)],
  ["an array of 70,000", Array.from({ length: 70_000 }, () => 1)],
  ["a map of 20", Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, index]))],
  ["keys with odd names", { "": 1, "a.b": 2, ü: 3, toString: 4 }],
])("%s survives the way there and back", (_name, value) => {
  const frame = decodeFrame(payload(encode(request(value))));
  expect(frame).toMatchObject({ kind: "request", id: 1 });
  const { params } = frame as { params: unknown };
  expect(JSON.stringify(params)).toBe(JSON.stringify(value));
  if (value instanceof Uint8Array) expect(params).toEqual(value);
});

test("keys that look alike to a cache stay apart", () => {
  const keys = ["abc", "aXc", "abcd", "aXcd", "abc"];
  for (const key of keys) {
    const { params } = decodeFrame(payload(encode(request({ [key]: key })))) as { params: object };
    expect(Object.entries(params)).toEqual([[key, key]]);
  }
});

test("decoded objects have no prototype", () => {
  const { params } = decodeFrame(payload(encode(request({ a: { b: 1 } })))) as { params: { a: object } };
  expect(Object.getPrototypeOf(params)).toBeNull();
  expect(Object.getPrototypeOf(params.a)).toBeNull();
});

const packr = new Packr({ useRecords: false, moreTypes: true, structuredClone: true });
test.each<[string, Uint8Array]>([
  ["a RegExp", packr.pack(/a/)],
  ["a Set", packr.pack(new Set([1]))],
  ["an Error", packr.pack(new Error("x"))],
  ["a Date", packr.pack(new Date())],
  ["undefined", packr.pack(undefined)],
  ["a bigint", packr.pack(2n ** 60n)],
  ["a bigint of 100 bits", new Packr({ useRecords: false, useBigIntExtension: true }).pack(2n ** 100n)],
  ["a typed array", packr.pack(new Float64Array(2))],
  ["an ArrayBuffer", packr.pack(new ArrayBuffer(2))],
  ["a cycle", packr.pack(cycle())],
  ["records", new Packr({ useRecords: true }).pack({ a: 1 })],
  ["bundled strings", new Packr({ useRecords: false, bundleStrings: true }).pack({ a: "x".repeat(64) })],
  ["a float of 32 bits", new Packr({ useRecords: false, useFloat32: 1 }).pack(1.5)],
  ["NaN", packr.pack(Number.NaN)],
  ["infinity", packr.pack(Number.POSITIVE_INFINITY)],
  ["a map with a number as key", new Packr({ useRecords: false }).pack(new Map([[1, 2]]))],
])("%s is refused", (_name, hostile) => {
  expect(() => readValue(hostile)).toThrow(refusal);
  expect(() => readValue(new Uint8Array([0x91, ...hostile]))).toThrow(refusal);
});

function cycle(): object {
  const ring: { self?: object } = {};
  ring.self = ring;
  return ring;
}

test("every extension type in every width is refused", () => {
  const widths: [number[], number][] = [
    [[0xd4], 1],
    [[0xd5], 2],
    [[0xd6], 4],
    [[0xd7], 8],
    [[0xd8], 16],
    [[0xc7, 3], 3],
    [[0xc8, 0, 3], 3],
    [[0xc9, 0, 0, 0, 3], 3],
  ];
  for (const [head, length] of widths) {
    for (let type = 0; type < 256; type += 1) {
      const hostile = new Uint8Array([...head, type, ...new Array<number>(length).fill(0x90)]);
      expect(() => readValue(hostile)).toThrow(refusal);
    }
  }
});

test.each([
  ["the reserved byte", [0xc1]],
  ["an unsigned integer of 64 bits", [0xcf, 0, 0, 0, 0, 0, 0, 0, 1]],
  ["a signed integer of 64 bits", [0xd3, 0, 0, 0, 0, 0, 0, 0, 1]],
  ["nothing at all", []],
  ["a second value", [0xc0, 0xc0]],
  ["a string cut short", [0xa2, 0x61]],
  ["a long string cut short", [0xdb, 0xff, 0xff, 0xff, 0xff, 0x61]],
  ["bytes cut short", [0xc6, 0xff, 0xff, 0xff, 0xff]],
  ["a number cut short", [0xcd, 1]],
  ["a float cut short", [0xcb, 1, 2, 3]],
  ["an array that claims 2^32-1 items", [0xdd, 0xff, 0xff, 0xff, 0xff]],
  ["a map that claims 2^32-1 fields", [0xdf, 0xff, 0xff, 0xff, 0xff]],
  ["text that is not UTF-8", [0xa1, 0xff]],
  ["an overlong encoding", [0xa2, 0xc1, 0x9f]],
  ["a surrogate in UTF-8", [0xa3, 0xed, 0xa0, 0x80]],
  ["text that ends inside a character", [0x92, 0xa1, 0xf0, 0xa1, 0x61]],
  ["a key twice", [0x82, 0xa1, 0x61, 1, 0xa1, 0x61, 2]],
  ["a key of bytes", [0x81, 0xc4, 1, 0x61, 1]],
])("%s is refused", (_name, hostile) => {
  expect(() => readValue(new Uint8Array(hostile))).toThrow(refusal);
});

test.each(["__proto__", "constructor", "prototype"])("the key %s is refused at every level", (key) => {
  const map = [0x81, 0xa0 | key.length, ...utf8(key), 0x80];
  expect(() => readValue(new Uint8Array(map))).toThrow(refusal);
  expect(() => readValue(new Uint8Array([0x81, 0xa1, 0x61, ...map]))).toThrow(refusal);
  expect(() => readValue(new Uint8Array([0x81, 0xd9, key.length, ...utf8(key), 0x80]))).toThrow(refusal);
  const own = JSON.parse(`{"${key}": 1}`) as unknown;
  expect(() => encode(request(own))).toThrow(refusal);
});

test("200,000 arrays inside each other are refused without a stack overflow", () => {
  expect(() => readValue(new Uint8Array(200_000).fill(0x91))).toThrow(refusal);
  expect(() => readValue(new Uint8Array(200_000).fill(0x81))).toThrow(refusal);
});

test("values may be as deep as the cap and no deeper, on both sides", () => {
  const arrays = (levels: number): Uint8Array => new Uint8Array([...new Array(levels).fill(0x91), 0xc0]);
  const nested = (levels: number): unknown => (levels === 0 ? null : [nested(levels - 1)]);
  expect(() => readValue(arrays(MAX_DEPTH))).not.toThrow();
  expect(() => readValue(arrays(MAX_DEPTH + 1))).toThrow(refusal);
  // The frame is a level of its own.
  expect(() => encode(request(nested(MAX_DEPTH - 1)))).not.toThrow();
  expect(() => encode(request(nested(MAX_DEPTH)))).toThrow(refusal);
});

test("a frame full of empty maps is refused before they are made", () => {
  const hostile = new Uint8Array(4_194_304).fill(0x80);
  hostile.set([0xdd, 0, 0x3f, 0xff, 0xfb]);
  const before = process.memoryUsage().heapUsed;
  expect(() => readValue(hostile)).toThrow(refusal);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1_048_576);
});

test("what has more values than the cap is refused at the sender", () => {
  const values = new Array<null>(MAX_NODES).fill(null);
  expect(() => encode(request(values))).toThrow(refusal);
});

class Thing {
  field = 1;
}
test.each([
  ["undefined in a field", { a: undefined }],
  ["a hole in an array", new Array(1)],
  ["NaN", Number.NaN],
  ["infinity", Number.NEGATIVE_INFINITY],
  ["a bigint", 1n],
  ["a function", () => 1],
  ["a symbol", Symbol("x")],
  ["a Date", new Date()],
  ["a Map", new Map()],
  ["a Set", new Set()],
  ["a RegExp", /x/],
  ["an Error", new Error("x")],
  ["an object of a class", new Thing()],
  ["another typed array", new Uint16Array(2)],
  ["a cycle", cycle()],
])("%s is refused at the sender", (_name, value) => {
  expect(() => encode(request(value))).toThrow(refusal);
});

test("a frame may be as large as the cap and no larger", () => {
  const frame: Frame = { kind: "chunk", id: 1, stream: "stdout", bytes: new Uint8Array(1_000) };
  const exact = payload(encode(frame)).length;
  expect(payload(encode(frame, exact)).length).toBe(exact);
  const tooLarge = expect.objectContaining({ code: "FRAME_TOO_LARGE" });
  for (let less = 1; less < 12; less += 1) expect(() => encode(frame, exact - less)).toThrow(tooLarge);
  for (const params of ["x".repeat(5_000), "é".repeat(5_000), [1.5, 1.5, 1.5], { a: null }]) {
    const size = payload(encode(request(params))).length;
    expect(() => encode(request(params), size)).not.toThrow();
    expect(() => encode(request(params), size - 1)).toThrow(tooLarge);
  }
});

test("the cap is exact also when the last value is wider than a byte", () => {
  const frame: Frame = { kind: "result", id: 1, value: null, bodyBytes: 2 ** 40 };
  const size = payload(encode(frame)).length;
  expect(payload(encode(frame, size)).length).toBe(size);
  expect(() => encode(frame, size - 1)).toThrow(expect.objectContaining({ code: "FRAME_TOO_LARGE" }));
});

test("a value far above the cap is refused without memory for it", () => {
  const before = process.memoryUsage().arrayBuffers;
  expect(() => encode(request("x".repeat(100_000_000)))).toThrow(
    expect.objectContaining({ code: "FRAME_TOO_LARGE" }),
  );
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_388_608);
});

test("a refused frame leaves the ones before and after it whole", () => {
  const first = encode({ kind: "cancel", id: 1 });
  expect(() => encode(request({ a: "some text", b: undefined }))).toThrow(refusal);
  const second = encode({ kind: "cancel", id: 2 });
  expect(decodeFrame(payload(first))).toEqual({ kind: "cancel", id: 1 });
  expect(decodeFrame(payload(second))).toEqual({ kind: "cancel", id: 2 });
});

test("encoded frames are never written again by later ones", () => {
  const kept: Uint8Array[] = [];
  for (let id = 1; id <= 3_000; id += 1) kept.push(encode({ kind: "cancel", id }));
  expect(kept.map((frame) => (decodeFrame(payload(frame)) as { id: number }).id)).toEqual(
    Array.from({ length: 3_000 }, (_, index) => index + 1),
  );
});

test.each([
  ["no map", [1], "frame.kind"],
  ["no kind", { id: 1 }, "frame.kind"],
  ["an unknown kind", { kind: "bye" }, "frame.kind"],
  ["a name of Object.prototype as kind", { kind: "toString" }, "frame.kind"],
  ["a missing field", { kind: "cancel" }, "cancel.id"],
  ["a further field", { kind: "cancel", id: 1, extra: 2 }, 'unknown field "extra"'],
  ["an id of 0", { kind: "cancel", id: 0 }, "cancel.id"],
  ["a fractional id", { kind: "cancel", id: 1.5 }, "cancel.id"],
  ["an empty chunk", { kind: "chunk", id: 1, stream: "stdout", bytes: new Uint8Array(0) }, "chunk.bytes"],
  ["an unknown stream", { kind: "chunk", id: 1, stream: "file", bytes: new Uint8Array(1) }, "chunk.stream"],
  ["a negative length", { kind: "result", id: 1, value: {}, bodyBytes: -1 }, "result.bodyBytes"],
  ["an error without message", { kind: "failure", id: 1, error: { code: "X" } }, "failure.error.message"],
  [
    "details that are no map",
    { kind: "failure", id: 1, error: { code: "X", message: "", data: [] } },
    "error.data",
  ],
])("a frame with %s is refused by naming it", (_name, value, named) => {
  const hostile = payload(encodeFrames([value as Frame], 4_194_304));
  expect(() => decodeFrame(hostile)).toThrow(
    expect.objectContaining({ code: "SHAPE_REFUSED", message: expect.stringContaining(named) }),
  );
});

test.each([1, 255, 256, 65_535, 65_536, 262_144])(
  "a chunk of %i bytes is the same in two parts and in one",
  (length) => {
    const bytes = new Uint8Array(length).fill(7);
    for (const id of [1, 4_294_967_295]) {
      const chunk: ChunkFrame = { kind: "chunk", id, stream: "request-body", bytes };
      expect(Buffer.compare(Buffer.concat([encodeChunkHead(chunk), bytes]), encode(chunk))).toBe(0);
    }
  },
);
