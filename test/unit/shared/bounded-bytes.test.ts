import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedBytes } from "../../../src/shared/bounded-bytes.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

function collect(maxBytes: number, chunks: readonly Uint8Array[]): ReturnType<BoundedBytes["take"]> {
  const kept = new BoundedBytes(maxBytes);
  for (const chunk of chunks) kept.push(chunk);
  return kept.take();
}

test("what fits is kept as it came", () => {
  const { bytes, truncated } = collect(10, [encode("hello"), encode("world")]);
  expect(decode(bytes)).toBe("helloworld");
  expect(truncated).toBeNull();
});

test("what does not fit keeps head and tail, says so, and counts all", () => {
  const { bytes, truncated } = collect(10, [encode("0123456789".repeat(10))]);
  expect(decode(bytes)).toBe("01234\n[… 90 bytes left out …]\n56789");
  expect(truncated).toEqual({ totalBytes: 100 });
});

test("a cut never splits a character", () => {
  const text = "é€😀".repeat(50);
  for (let cap = 1; cap < 60; cap++) {
    const { bytes } = collect(cap, [encode(text)]);
    expect(() => decode(bytes)).not.toThrow();
  }
});

test("however the bytes are split, the result is the same, and never complete in disguise", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 1, max: 200 }),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 }),
      (all, cap, sizes) => {
        const chunks: Uint8Array[] = [];
        for (let at = 0, turn = 0; at < all.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(all.subarray(at, at + size));
          at += size;
        }
        const split = collect(cap, chunks);
        const whole = collect(cap, [all]);
        expect(split).toEqual(whole);
        if (all.length <= cap) expect(split).toEqual({ bytes: all, truncated: null });
        else expect(split.truncated).toEqual({ totalBytes: all.length });
      },
    ),
  );
});

test("what is kept is a copy: it does not change with the chunk, and keeps no large buffer alive", () => {
  const kept = new BoundedBytes(100);
  const buffer = new Uint8Array(1_000_000).fill(0x61);
  kept.push(buffer.subarray(0, 1));
  buffer.fill(0x62);
  kept.push(buffer.subarray(0, 1));
  const { bytes } = kept.take();
  expect(decode(bytes)).toBe("ab");
  expect(bytes.buffer.byteLength).toBeLessThan(1_000);
});
