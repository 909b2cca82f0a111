import { describe, expect, test } from "vitest";
import { toJsonText } from "../../../src/tools/normalise.ts";

const told = (value: unknown) => toJsonText("t", value);

class Money {
  readonly amount = 3;
  get doubled() {
    return 6;
  }
}

const ownProto = JSON.parse('{"__proto__":{"admin":true},"a":1}');

test.each<[string, unknown, string]>([
  ["undefined at the top is no result", undefined, ""],
  ["a function at the top is no result", () => 1, ""],
  ["a symbol at the top is no result", Symbol("x"), ""],
  ["a toJSON that gives undefined at the top is no result", { toJSON: () => undefined }, ""],
  ["null is null", null, "null"],
  ["undefined in an object is left out", { a: undefined, b: 1 }, '{"b":1}'],
  ["undefined in an array is null", [undefined, 1], "[null,1]"],
  [
    "functions and symbols are told like undefined",
    { f: () => 1, s: Symbol("x"), l: [() => 1] },
    '{"l":[null]}',
  ],
  ["a hole in an array is null", new Array(2), "[null,null]"],
  ["numbers that JSON lacks are null", [Number.NaN, Number.POSITIVE_INFINITY, -0], "[null,null,0]"],
  ["a BigInt is its digits", { n: 12345678901234567890n }, '{"n":"12345678901234567890"}'],
  ["a Date is its ISO text", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  ["an invalid Date is null", [new Date(Number.NaN)], "[null]"],
  ["a Map with text keys is an object", new Map([["a", 1]]), '{"a":1}'],
  ["a Map with other keys is a list of pairs", new Map([[1, "x"]]), '[[1,"x"]]'],
  ["a Set is a list", new Set([1, "a"]), '[1,"a"]'],
  ["bytes are base64", { b: new Uint8Array([255, 0]), c: Buffer.from("hi") }, '{"b":"/wA=","c":"aGk="}'],
  ["other typed arrays are lists", new Float64Array([1.5, 2]), "[1.5,2]"],
  ["an Error is its name and message", new TypeError("no"), '{"name":"TypeError","message":"no"}'],
  ["a RegExp is its text", [/a+/g], '["/a+/g"]'],
  ["boxed values are what they hold", [new String("a"), new Number(1), new Boolean(false)], '["a",1,false]'],
  ["a class instance is its own fields", new Money(), '{"amount":3}'],
  ["a key __proto__ is data", ownProto, '{"__proto__":{"admin":true},"a":1}'],
  ["a Map key __proto__ is data", new Map([["__proto__", 1]]), '{"__proto__":1}'],
  ["a lone surrogate is replaced, a pair kept", ["\ud800", "\u{1f600}"], '["\ufffd","\u{1f600}"]'],
  ["a lone surrogate in a key is replaced", { "\udc00": 1 }, '{"\ufffd":1}'],
  ["the same object twice is no cycle", (() => ((x) => [x, x])({ a: 1 }))(), '[{"a":1},{"a":1}]'],
])("%s", (_, value, expected) => {
  expect(told(value)).toBe(expected);
});

test("toJSON is asked once: what it gives is not asked again", () => {
  const inner = { toJSON: () => "never", x: 1 };
  expect(told({ a: { toJSON: (key: string) => [key] } })).toBe('{"a":["a"]}');
  expect(told({ a: { toJSON: () => ({ ...inner, toJSON: undefined, x: 2 }) } })).toBe('{"a":{"x":2}}');
  let asked = 0;
  const self = {
    x: 1,
    toJSON() {
      asked++;
      return this;
    },
  };
  expect(told([self])).toBe('[{"x":1}]');
  expect(asked).toBe(1);
});

test("no key of a result reaches a prototype", () => {
  told(ownProto);
  expect(({} as Record<string, unknown>).admin).toBeUndefined();
});

test("the text of a plain value is what JSON.stringify gives", () => {
  const value = { a: [1, "é\n\u2028", { b: null, c: true }], "": "x".repeat(1000), d: 1e21, e: 1e-7 };
  expect(told(value)).toBe(JSON.stringify(value));
});

describe("what cannot be told is an error that names the place", () => {
  test("a cycle", () => {
    const a: Record<string, unknown> = { list: [] };
    (a.list as unknown[]).push({ back: a });
    expect(() => told(a)).toThrow("contains itself at $.list[0].back");
  });

  test("a getter that throws, without its message", () => {
    const value = {
      get secret() {
        throw new Error("/home/me");
      },
    };
    expect(() => told(value)).toThrow(/^the result of tool t cannot be read at \$\.secret$/);
  });

  test("101 levels", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100; level++) deep = [deep];
    expect(told(deep)).toHaveLength(201);
    expect(() => told([deep])).toThrow("nested deeper than 100");
  });

  test("more bytes than the cap, counted as UTF-8 and before it is all written", () => {
    expect(toJsonText("t", "é".repeat(4), { maxBytes: 10 })).toHaveLength(6);
    expect(() => toJsonText("t", "é".repeat(5), { maxBytes: 10 })).toThrow("larger than 10 bytes");
    const sparse: unknown[] = [];
    sparse.length = 4_000_000_000;
    expect(() => toJsonText("t", sparse, { maxBytes: 1000 })).toThrow("larger than 1000 bytes");
  });

  test("the code is TOOL_FAILED", () => {
    const self: unknown[] = [];
    self.push(self);
    expect(() => told(self)).toThrow(expect.objectContaining({ code: "TOOL_FAILED" }));
  });
});
