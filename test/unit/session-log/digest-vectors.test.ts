/** The vectors that `docs/remote-session.md` shows. They were made by another program, in another language. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../build/paths.ts";
import { appendText, checkAppend, sha256 } from "../../../src/session-log/check-append.ts";
import { findBreak } from "../../../src/session-log/check-chain.ts";
import { parseStrictJson } from "../../../src/session-log/strict-json.ts";

interface Vectors {
  readonly appends: readonly { name: string; given: string; canonical: string; digest: string }[];
  readonly chain: readonly { runId: string }[];
}

const text = readFileSync(join(root, "test/fixtures/session-log/digest-vectors.json"), "utf8");
const { appends, chain } = JSON.parse(text) as Vectors;

test.each(appends)("the canonical text and the digest: $name", ({ given, canonical, digest }) => {
  const append = checkAppend(parseStrictJson(Buffer.from(given)));
  expect(appendText(append)).toBe(canonical);
  expect(append.digest).toBe(digest);
  expect(sha256(canonical)).toBe(digest);
  expect(checkAppend(JSON.parse(canonical)).digest).toBe(digest);
});

test("the events of the chain are whole, and none can be left out", () => {
  expect(findBreak("run_123", chain)).toBeUndefined();
  expect(findBreak("run_123", chain.slice(1))).toMatchObject({ index: 0 });
});

test("the document shows the same vectors", () => {
  const page = readFileSync(join(root, "docs/remote-session.md"), "utf8");
  const [, shown = ""] = /^```json vectors\n([\s\S]*?)^```/m.exec(page) ?? [];
  expect(JSON.parse(shown)).toEqual(JSON.parse(text));
});
