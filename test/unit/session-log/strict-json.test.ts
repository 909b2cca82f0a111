import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStrictJson } from "../../../src/session-log/strict-json.ts";

const parse = (text: string) => parseStrictJson(Buffer.from(text));

test("what JSON.stringify writes is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      expect(parse(text)).toEqual(JSON.parse(text));
      expect(parse(JSON.stringify(JSON.parse(text), null, 1))).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  '{"a":1,"a":1}',
  '{"a":{"b":[{"c":1,"d":2,"c":3}]}}',
  '{"a":1,"\\u0061":2}',
  '{"":1,"":1}',
  '{"__proto__":1,"__proto__":2}',
  '{"1":1,"1":2}',
])("a key that comes twice is refused: %s", (text) => {
  expect(JSON.parse(text)).toBeTypeOf("object");
  expect(() => parse(text)).toThrow("a key comes twice");
});

test.each([
  '{"a:":":","b\\":":"\\\\"}',
  '{"a":{"a":1}}',
  '[{"a":1},{"a":1}]',
  '"a:b"',
  '{"__proto__":{"__proto__":1}}',
])("a colon in a string and the same key in another object are no such key: %s", (text) => {
  expect(parse(text)).toEqual(JSON.parse(text));
});

test.each(["", "{", '{"a":1}{', "{'a':1}", '{"a":1,}', "NaN", "01", '"\n"', '"a', "\ufeff{}", "[1] //"])(
  "what is no JSON is refused, and not quoted: %j",
  (text) => {
    expect(() => parse(text)).toThrow(/^it is no JSON$/);
  },
);

test("bytes that are no UTF-8 are refused", () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc0, 0x80, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
  ])
    expect(() => parseStrictJson(Uint8Array.from(bytes))).toThrow("it is no UTF-8");
});

test("nesting has an end, however deep a text goes", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  expect(parse(nested(101))).toBeInstanceOf(Array);
  expect(() => parse(nested(102))).toThrow("deeper than 101");
  expect(() => parse("[".repeat(1_000_000))).toThrow("deeper than 101");
  expect(() => parse('{"a":'.repeat(1_000_000))).toThrow("deeper than 101");
});
