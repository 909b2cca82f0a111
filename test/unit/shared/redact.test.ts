import { expect, test } from "vitest";
import { redactHostText } from "../../../src/shared/redact.ts";

test.each([
  [
    "ENOENT: no such file or directory, open '/home/me/app/.env'",
    "ENOENT: no such file or directory, open '<path>'",
  ],
  ["cannot read /srv/app/secrets.json.", "cannot read <path>."],
  ["see file:///home/me/app/index.js for more", "see <path> for more"],
  ["bad token in /srv/app/a.ts:10:5", "bad token in <path>"],
  ["'/home/my name/a b.txt' is gone", "'<path>' is gone"],
  ['open "C:\\Users\\me\\key.pem" failed', 'open "<path>" failed'],
  ["at C:\\app\\x.js and \\\\server\\share\\y", "at <path> and <path>"],
  ["(/opt/x, /opt/y)", "(<path>, <path>)"],
])("a host path does not leave: %s", (text, expected) => {
  expect(redactHostText(text)).toBe(expected);
});

test("stack lines go, the message stays", () => {
  const error = new Error("no such order");
  expect(redactHostText(error.stack ?? "")).toBe("Error: no such order");
});

test("a line of prose that starts with «at» stays", () => {
  expect(redactHostText("closed\n  at noon")).toBe("closed\n  at noon");
});

test.each([
  "GET https://api.example.com/v1/orders?id=1 failed: 404",
  "read/write, and/or, 1/2, 3 / 4",
  "a//b",
  "~/x",
])("text that holds no host path stays as it is: %s", (text) => {
  expect(redactHostText(text)).toBe(text);
});

test("paths of the sandbox stay, paths that only begin alike do not", () => {
  const kept = ["/session"];
  expect(redactHostText("no '/session/a b.txt', no /session/c:3", kept)).toBe(
    "no '/session/a b.txt', no /session/c:3",
  );
  expect(redactHostText("no /session", kept)).toBe("no /session");
  expect(redactHostText("no /sessions/a", kept)).toBe("no <path>");
});

test("a text of many megabytes is cut before it is searched", () => {
  expect(redactHostText("/a ".repeat(1_000_000)).length).toBeLessThan(300_000);
});
