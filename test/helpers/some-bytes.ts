import fc from "fast-check";

/** Bytes with some that form characters, some that begin one and end early, and some that never do. */
export const someBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc.string({ unit: "grapheme", maxLength: 4 }).map((text) => new TextEncoder().encode(text)),
      fc.constantFrom(
        [0xef, 0xbb, 0xbf],
        [0xc3],
        [0xf0, 0x9f, 0x92],
        [0xed, 0xa0, 0x80],
        [0x0a],
        [0x0d, 0x0a],
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part))));
