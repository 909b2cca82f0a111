/** Every value that msgpack has and the wire has not, against the parent's end of the channel. No process. */
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { execParams, exited, HELLO, parentAgainst } from "../unit/protocol/peers.ts";

// @ts-expect-error: a fixture of the hostile worker, which has no types.
const { Entries, pack, Raw } = await import("./fixtures/msgpack.mjs");

const zeros = (count: number): number[] => new Array<number>(count).fill(0);
const text = (of: string): number[] => [0xa0 | of.length, ...Buffer.from(of)];

/** Type bytes that take an extension's type after them, and how many bytes of data they have. */
const extensions: [string, number[], number][] = [
  ["fixext 1", [0xd4], 1],
  ["fixext 2", [0xd5], 2],
  ["fixext 4", [0xd6], 4],
  ["fixext 8", [0xd7], 8],
  ["fixext 16", [0xd8], 16],
  ["ext 8", [0xc7, 1], 1],
  ["ext 16", [0xc8, 0, 1], 1],
  ["ext 32", [0xc9, 0, 0, 0, 1], 1],
  ["ext 32 of 4 GB", [0xc9, 255, 255, 255, 255], 1],
];

const others: [string, number[]][] = [
  ["uint 64", [0xcf, ...zeros(8)]],
  ["int 64", [0xd3, ...zeros(8)]],
  ["float 32", [0xca, ...zeros(4)]],
  ["NaN", [0xcb, 0x7f, 0xf8, ...zeros(6)]],
  ["Infinity", [0xcb, 0x7f, 0xf0, ...zeros(6)]],
  ["the reserved byte", [0xc1]],
  ["an array of 4 G values", [0xdd, 255, 255, 255, 255]],
  ["a map of 4 G values", [0xdf, 255, 255, 255, 255]],
  ["text of 4 GB", [0xdb, 255, 255, 255, 255]],
  ["bytes of 4 GB", [0xc6, 255, 255, 255, 255]],
  ["text that is not UTF-8", [0xa1, 0xff]],
  ["a surrogate", [0xa3, 0xed, 0xa0, 0x80]],
  ["an overlong form", [0xa2, 0xc0, 0xaf]],
  ["a number as a key", [0x81, 1, 1]],
  ["bytes as a key", [0x81, 0xc4, 1, 0x61, 1]],
  ["a key twice", [0x82, ...text("a"), 1, ...text("a"), 2]],
  ["33 arrays in each other", [...new Array<number>(33).fill(0x91), 0xc0]],
  ...["__proto__", "constructor", "prototype"].map((key): [string, number[]] => [
    `the key ${key}`,
    [0x81, ...text(key), 0xc0],
  ]),
];

/** The parent's end with one command open, after `value` came as its result. */
function after(value: Uint8Array): { codes: string[]; messages: string[]; call: Promise<unknown> } {
  const peer = parentAgainst();
  const call = peer.channel.request("exec", execParams);
  peer.deliver({ kind: "hello", ...HELLO });
  const payload: Buffer = pack(
    new Entries(["kind", "result"], ["id", call.id], ["bodyBytes", 0], ["value", new Raw(value)]),
  );
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32LE(payload.length);
  peer.channel.receive(Buffer.concat([prefix, payload]));
  return {
    codes: peer.broken.map(({ code }) => code),
    messages: peer.broken.map(({ message }) => message),
    call: call.then(
      ({ value: taken }) => taken,
      ({ code }: { code: string }) => code,
    ),
  };
}

test("the same frame with a good value is taken", async () => {
  const { codes, call } = after(pack(exited));
  expect(codes).toEqual([]);
  expect(await call).toEqual(exited);
});

for (const [what, head, dataBytes] of extensions) {
  test(`${what} is refused, whatever its type`, async () => {
    for (let type = 0; type < 256; type += 1) {
      const { codes, messages, call } = after(new Uint8Array([...head, type, ...zeros(dataBytes)]));
      expect(codes).toEqual(["VALUE_REFUSED"]);
      expect(messages[0]).toContain(`the type byte 0x${head[0]?.toString(16)}`);
      expect(await call).toBe("VALUE_REFUSED");
    }
  });
}

for (const [what, bytes] of others) {
  test(`${what} is refused`, async () => {
    const { codes, call } = after(new Uint8Array(bytes));
    expect(codes).toEqual(["VALUE_REFUSED"]);
    expect(await call).toBe("VALUE_REFUSED");
  });
}

test("what msgpackr writes for values of JavaScript that are no plain data is refused", () => {
  const { Packr } = createRequire(import.meta.url)("msgpackr") as typeof import("msgpackr");
  const records = new Packr({ useRecords: true, structuredClone: true, moreTypes: true });
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const made: [string, unknown][] = [
    ["a record", { a: 1, b: 2 }],
    ["an Error", new TypeError("t")],
    ["a RegExp", /a+/g],
    ["a Set", new Set([1])],
    ["a Date", new Date(0)],
    ["a BigInt", 2n ** 63n],
    ["undefined", undefined],
    ["a typed array", new Float64Array(2)],
    ["a cycle", cyclic],
  ];
  for (const [what, value] of made) {
    const { codes } = after(records.pack(value));
    expect([what, codes]).toEqual([what, ["VALUE_REFUSED"]]);
  }
});
