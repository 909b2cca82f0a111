import { expect, test } from "vitest";
import { redactHostText, tellThrown } from "../../../src/shared/redact.ts";

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
  ["spawn /opt/node/bin/node ENOENT", "spawn <path> ENOENT"],
  ["/usr/bin/node: bad option: --import=/srv/app/x.mjs", "<path>: bad option: --import=<path>"],
  ["failed (file:///srv/app/a%20b.js)", "failed (<path>)"],
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
  "must match pattern /^\\/a+$/",
  "must match '/^a+$/'",
  'does not match "^/srv/[a-z]+$"',
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

class Sly {
  get message(): string {
    throw new Error("at /home/me/sly.ts");
  }
}

test.each<[string, unknown, string]>([
  ["an error", new Error("no /srv/a"), "no <path>"],
  ["an error with a cause", new Error("outer", { cause: new Error("no /srv/a") }), "outer"],
  ["several errors", new AggregateError([new Error("no /srv/a")], "all failed"), "all failed"],
  ["a string", "no /srv/a", "no <path>"],
  ["an object with a message", { message: "no /srv/a", path: "/srv/a" }, "no <path>"],
  ["a message that is no string", { message: { toString: () => "no /srv/a" } }, "no <path>"],
  ["a message that throws", new Sly(), "something was thrown that cannot be read"],
  ["nothing", undefined, "undefined"],
  ["an object without a prototype", Object.create(null), "something was thrown that cannot be read"],
])("what was thrown is told without the host's paths: %s", (_, thrown, expected) => {
  expect(tellThrown(thrown)).toBe(expected);
});

test("what was told once stays as it is when it is told again", () => {
  const told = tellThrown(new Error("no '/srv/a b', no file:///srv/c, no C:\\x"));
  expect(tellThrown(told)).toBe(told);
});
