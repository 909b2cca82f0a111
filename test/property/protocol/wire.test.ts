import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeFrame, encodeFrames } from "../../../src/protocol/codec.ts";
import { FrameReader } from "../../../src/protocol/frame.ts";
import type { Frame } from "../../../src/protocol/frame-kinds.ts";
import { ProtocolError } from "../../../src/protocol/protocol-error.ts";
import { readValue } from "../../../src/protocol/read-value.ts";
import { isForbiddenKey } from "../../../src/protocol/value-caps.ts";

// The reference implementation of the bytes, to read what we write and to write what we read.
const { Packr, Unpackr } = createRequire(import.meta.url)(
  "msgpackr/index-no-eval",
) as typeof import("msgpackr");
const packr = new Packr({ useRecords: false, variableMapSize: true });
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true });

const CAP = 4_194_304;
const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 80 }), fc.string({ maxLength: 400 }));
const key = text.filter((name) => !isForbiddenKey(name));
const number = fc.oneof(
  fc.integer(),
  fc.nat(300),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
);
const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.uint8Array({ maxLength: 400 }),
    fc.array(tie("value"), { maxLength: 20 }),
    fc.dictionary(key, tie("value"), { maxKeys: 20, noNullPrototype: true }),
  ),
})).value;

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const size = fc.nat(Number.MAX_SAFE_INTEGER);
const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ kind: fc.constant("hello" as const), version: fc.nat(), buildId: text }),
  fc.record({ kind: fc.constant("request" as const), id, name: text, params: plain, bodyBytes: size }),
  fc.record({
    kind: fc.constant("chunk" as const),
    id,
    stream: fc.constantFrom(
      "stdout" as const,
      "stderr" as const,
      "request-body" as const,
      "result-body" as const,
    ),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 3_000 }),
  }),
  fc.record({ kind: fc.constant("result" as const), id, value: plain, bodyBytes: size }),
  fc.record({
    kind: fc.constant("failure" as const),
    id,
    error: fc.record(
      {
        code: text,
        message: text,
        data: fc.dictionary(key, plain, { maxKeys: 5, noNullPrototype: true }),
      },
      { requiredKeys: ["code", "message"] },
    ),
  }) as fc.Arbitrary<Frame>,
  fc.record({ kind: fc.constant("cancel" as const), id }),
);

/** Objects without prototypes and byte views of any buffer, as one comparable thing. */
function comparable(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("hex") };
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).map(([name, field]) => [name, comparable(field)]);
}

/** Whether a value is what the reader promises, by a walk of its own. */
function isPlain(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === "boolean" || typeof value === "string") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (value instanceof Uint8Array) return true;
  if (typeof value !== "object" || depth > 32) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1));
  if (Object.getPrototypeOf(value) !== null) return false;
  return Object.entries(value).every(([name, field]) => !isForbiddenKey(name) && isPlain(field, depth + 1));
}

function cut(stream: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (let turn = 0; at < stream.length; turn += 1) {
    const piece = sizes[turn % sizes.length] ?? 1;
    pieces.push(stream.subarray(at, at + piece));
    at += piece;
  }
  return pieces;
}

const splits = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 5_000 })), {
  minLength: 1,
  maxLength: 20,
});

test("any frames come out as they went in, under any split of their bytes", () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 12 }), splits, (frames, sizes) => {
      const stream = encodeFrames(frames, CAP);
      const seen: unknown[] = [];
      // Compared later, but looked at while it is valid: the memory of a split frame is used again.
      const reader = new FrameReader(CAP, (payload) => seen.push(comparable(decodeFrame(payload))));
      for (const piece of cut(stream, sizes)) reader.push(piece);
      expect(seen).toEqual(frames.map(comparable));
    }),
    { numRuns: 300 },
  );
});

test("what we write is msgpack: the reference implementation reads the same from it", () => {
  fc.assert(
    fc.property(plain, (params) => {
      const sent: Frame = { kind: "request", id: 1, name: "n", params, bodyBytes: 0 };
      const encoded = encodeFrames([sent], CAP).subarray(4);
      expect(comparable(unpackr.unpack(Buffer.from(encoded)))).toEqual(comparable(sent));
    }),
    { numRuns: 300 },
  );
});

test("plain data that the reference implementation writes is read the same", () => {
  fc.assert(
    fc.property(plain, (value) => {
      expect(comparable(readValue(packr.pack(value)))).toEqual(comparable(value));
    }),
    { numRuns: 300 },
  );
});

/** The value, or undefined when it was refused; anything but a `ProtocolError` is a failure of the test. */
function readOrRefuse(bytes: Uint8Array): unknown {
  try {
    return readValue(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(ProtocolError);
    return undefined;
  }
}

test("whatever bytes come, they are one plain value or refused", () => {
  // Type bytes are likelier than chance would have them, so that structure comes about.
  const byte = fc.oneof(fc.nat(255), fc.integer({ min: 0x80, max: 0xdf }), fc.nat(3));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), (raw) => {
      const value = readOrRefuse(new Uint8Array(raw));
      expect(value === undefined || isPlain(value)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

test("a good frame with some bytes changed is one plain value or refused", () => {
  const change = fc.tuple(fc.nat(), fc.nat(255));
  fc.assert(
    fc.property(frame, fc.array(change, { minLength: 1, maxLength: 4 }), (sent, changes) => {
      const encoded = encodeFrames([sent], CAP).slice(4);
      for (const [at, to] of changes) encoded[at % encoded.length] = to;
      const value = readOrRefuse(encoded);
      expect(value === undefined || isPlain(value)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test("what is cut short is refused at every length", () => {
  fc.assert(
    fc.property(frame, (sent) => {
      const encoded = encodeFrames([sent], CAP).subarray(4);
      for (let length = 0; length < Math.min(encoded.length, 200); length += 1) {
        expect(readOrRefuse(encoded.subarray(0, length))).toBeUndefined();
      }
    }),
    { numRuns: 50 },
  );
});
