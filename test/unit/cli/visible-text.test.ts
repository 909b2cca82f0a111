import { describe, expect, test } from "vitest";
import { changesText } from "../../../src/cli/shell/changes-text.ts";
import { isKept } from "../../../src/cli/shell/history.ts";
import { isVisible, TerminalFilter, toVisible, toVisibleJson } from "../../../src/cli/visible-text.ts";

const ESC = "\u001b";

/** What reaches the terminal when the bytes come in pieces of this size. */
function filtered(bytes: Uint8Array, size: number): string {
  const filter = new TerminalFilter();
  let text = "";
  for (let at = 0; at < bytes.length; at += size) text += filter.write(bytes.subarray(at, at + size));
  const { rest, reset } = filter.end();
  return text + rest + reset;
}

describe("output on its way to a terminal", () => {
  test.each([
    ["a title", `${ESC}]0;owned\u0007x`, "^[]0;owned^Gx"],
    ["the clipboard", `${ESC}]52;c;aGk=${ESC}\\`, "^[]52;c;aGk=^[\\"],
    ["a question that the terminal answers", `${ESC}[6n${ESC}[c`, "^[[6n^[[c"],
    ["a move of the cursor", `${ESC}[2A${ESC}[2K`, "^[[2A^[[2K"],
    ["another set of characters", "\u000e\u000f", "^N^O"],
    ["going back", "ab\b\bc\u007f", "ab^H^Hc^?"],
    ["single characters that begin a sequence", "\u009b2J\u009d0;x\u009c", "\\x9b2J\\x9d0;x\\x9c"],
    ["a sequence that never ends", `x${ESC}[31`, "x^[[31"],
    ["a colour with too many parameters", `${ESC}[${"1;".repeat(40)}m`, `^[[${"1;".repeat(40)}m`],
    ["an escape alone at the end", `x${ESC}`, "x^["],
  ])("shows and does not send: %s", (_, text, shown) => {
    for (const size of [1, 2, 3, 1_000]) expect(filtered(Buffer.from(text), size)).toBe(shown);
  });

  test("colours pass, whatever pieces they come in, and end with the command", () => {
    const text = `${ESC}[1;31mred${ESC}[38:2::1:2:3mx\n`;
    for (const size of [1, 2, 5, 1_000]) expect(filtered(Buffer.from(text), size)).toBe(`${text}${ESC}[0m`);
  });

  test("text in any script, tabs, lines and returns pass as they are", () => {
    const text = "größe\t日本 👩‍👩‍👧\r\n10%\r20%\n";
    for (const size of [1, 3, 1_000]) expect(filtered(Buffer.from(text), size)).toBe(text);
  });

  test("bytes that are no UTF-8 become U+FFFD, since some terminals obey them", () => {
    expect(filtered(Uint8Array.of(0x61, 0x9b, 0x32, 0x4a), 1_000)).toBe("a\ufffd2J");
  });
});

describe("names in the prompt's own text", () => {
  test.each([
    [`a${ESC}[2Jb`, "a\\x1b[2Jb"],
    ["a\nb\tc\r", "a\\x0ab\\x09c\\x0d"],
    ["\u009b2J", "\\x9b2J"],
    ["evil\u202etxt.exe", "evil\\u{202e}txt.exe"],
    ["line\u2028two", "line\\u{2028}two"],
    ["half \ud83d", "half \\u{d83d}"],
  ])("%j is shown as an escape", (name, shown) => {
    expect(toVisible(name)).toBe(shown);
    expect(isVisible(name)).toBe(false);
  });

  test("names in any script stay as they are", () => {
    expect(toVisible("größe 日本 👩‍👩‍👧.txt")).toBe("größe 日本 👩‍👩‍👧.txt");
  });

  test("an event is JSON without a control character", () => {
    const event = { path: `/s/\u009b2J${ESC}[2J\u007f` };
    const line = toVisibleJson(event);
    expect(isVisible(line)).toBe(true);
    expect(JSON.parse(line)).toEqual(event);
  });

  test("changes are some lines, relative to where the shell stands, and a count of the rest", () => {
    const change = (name: string) => ({ change: "created", path: `/s/${name}`, kind: "file" }) as const;
    expect(
      changesText(
        [
          change(`a${ESC}c`),
          { change: "modified", path: "/other/b", kind: "file" },
          { change: "deleted", path: "/s/d", kind: "directory" },
        ],
        "/s",
      ),
    ).toBe("  + a\\x1bc\n  ~ /other/b\n  - d/\n");
    const many = Array.from({ length: 12 }, (_, index) => change(String(index)));
    expect(changesText(many, "/").split("\n").slice(-2)).toEqual(["  … and 7 created", ""]);
    expect(changesText([], "/s")).toBe("");
  });
});

test.each([
  ["ls", true],
  [" secret", false],
  ["", false],
  ["   ", false],
  ["x".repeat(5_000), false],
  [`a${ESC}[A`, false],
])("whether %j is remembered: %j", (line, kept) => {
  expect(isKept(line)).toBe(kept);
});
