/** Any bytes pass through the engine's two kinds of string as they are. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesToText, characterAt, textToBytes } from "../../../src/engine/byte-text.ts";
import { someBytes } from "../../helpers/some-bytes.ts";

test("a byte string is the same after a way through text", () => {
  fc.assert(
    fc.property(someBytes, (content) => {
      const latin1 = content.toString("latin1");
      expect(textToBytes(bytesToText(latin1))).toBe(latin1);
    }),
  );
});

test("characters one by one are the whole, and are those of the text", () => {
  fc.assert(
    fc.property(someBytes, (content) => {
      const latin1 = content.toString("latin1");
      const characters: string[] = [];
      for (let at = 0; at < latin1.length; at += characters.at(-1)?.length ?? 1)
        characters.push(characterAt(latin1, at));
      expect(characters.join("")).toBe(latin1);
      expect(characters.map(bytesToText)).toEqual([...bytesToText(latin1)]);
    }),
  );
});
