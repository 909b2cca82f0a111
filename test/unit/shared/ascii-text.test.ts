import { expect, test } from "vitest";
import { asciiText } from "../../../src/shared/ascii-text.ts";

const LARGE = 1 << 18;
const letters = Buffer.alloc(LARGE + 1, "0123456789abcde\n\0\x7f");

test("large ASCII is the text that a decoder makes of it, wherever it lies in its memory", () => {
  for (const bytes of [letters, letters.subarray(1), new Uint8Array(letters)])
    expect(asciiText(bytes)).toBe(new TextDecoder().decode(bytes));
});

test.each([0, 1, LARGE >> 1, LARGE])("one byte above ASCII, at %i, is left to a decoder", (at) => {
  for (const byte of [0x80, 0xc3, 0xff]) {
    const bytes = new Uint8Array(letters);
    bytes[at] = byte;
    expect(asciiText(bytes)).toBe(null);
  }
});

test("characters of several bytes are left to a decoder", () => {
  for (const text of ["ä", "€", "😀", "\ufeff"])
    expect(asciiText(Buffer.concat([Buffer.from(text), letters]))).toBe(null);
});
