/** Canonical JSON by the vectors of RFC 8785, and what is refused. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, fromCanonicalJson } from "../../../src/session-log/canonical-json.ts";

const canonical = (value: unknown): string => canonicalJson(value, "data");

test("the sample of RFC 8785, section 3.2.2, is written as section 3.2.3 has it", () => {
  const sample = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  expect(canonical(JSON.parse(sample))).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test("keys are sorted as RFC 8785, section 3.2.3, sorts them: by UTF-16 code units", () => {
  const sample = {
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis",
  };
  const names = [...canonical(sample).matchAll(/:"([^"]+)"/g)].map(([, name]) => name);
  expect(names).toEqual([
    "Carriage Return",
    "One",
    "Control",
    "Latin Small Letter O With Diaeresis",
    "Euro Sign",
    "Emoji: Grinning Face",
    "Hebrew Letter Dalet With Dagesh",
  ]);
});

/** RFC 8785, appendix B: IEEE 754 bits → text. */
const NUMBERS: [bits: string, text: string][] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

test.each(NUMBERS)("the number %s of RFC 8785, appendix B, is %s", (bits, text) => {
  expect(canonical(Buffer.from(bits, "hex").readDoubleBE())).toBe(text);
});

test.each(["7fffffffffffffff", "7ff0000000000000"])("the number %s of appendix B is refused", (bits) => {
  expect(() => canonical(Buffer.from(bits, "hex").readDoubleBE())).toThrow(/"data" is (?:NaN|Infinity)/);
});

test("what was written is read as it was, and written again is the same text", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const text = canonical(value);
      expect(fromCanonicalJson(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonical(fromCanonicalJson(text))).toBe(text);
    }),
  );
});

test("a field that is undefined is left out", () => {
  expect(canonical({ b: undefined, a: 1 })).toBe('{"a":1}');
});

test.each([
  ["data[1].a", [0, { a: Symbol("s") }]],
  ["data[0]", new Array(1)],
  ["data.m", { m: new Map() }],
  ["data.b", { b: new Uint8Array(1) }],
  ["data", { toJSON: undefined, [Symbol("s")]: 1 }],
  ["data.toJSON", { toJSON: () => 1 }],
  ["data.\ud800", { "\ud800": 1 }],
])("%s is named where JSON cannot say what is there", (field, value) => {
  expect(() => canonical(value)).toThrow(
    expect.objectContaining({ code: "SESSION_LOG_INVALID", data: { field } }),
  );
});

test("a cycle ends, however wide it is", () => {
  const cycle: unknown[] = [];
  for (let n = 0; n < 10; n++) cycle.push(cycle);
  expect(() => canonical(cycle)).toThrow(/deeper than 100/);
});

test("the limit counts bytes of UTF-8, and is met exactly", () => {
  expect(canonicalJson(["ü", []], "data", 9)).toBe('["ü",[]]');
  expect(() => canonicalJson(["ü", []], "data", 8)).toThrow(/more than 8 bytes/);
  expect(canonicalJson({ a: [1, 2] }, "data", 11)).toBe('{"a":[1,2]}');
  expect(() => canonicalJson({ a: [1, 2] }, "data", 10)).toThrow(/more than 10 bytes/);
});

test("far more than the limit is refused on the way", () => {
  const shared = Array.from({ length: 1_000 }, () => "x".repeat(1_000));
  const value = Array.from({ length: 1_000_000 }, () => shared);
  expect(() => canonicalJson(value, "data")).toThrow(/more than 1048576 bytes/);
});
