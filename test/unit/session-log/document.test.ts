/** docs/session-log.md: its programs run, and the file is as it says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../build/paths.ts";
import { fillFileLog } from "../../helpers/session-logs.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const text = readFileSync(join(root, "docs/session-log.md"), "utf8");

const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: string[]
) => (this: void, ...values: unknown[]) => Promise<void>;

test("the programs run as they are", async () => {
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code);
  expect(blocks).toHaveLength(2);
  const entry = await import("../../../src/remote-session.ts");
  const printed: unknown[][] = [];
  const print = (...values: unknown[]) => printed.push(values);
  const path = join(tempDir(), "sessions.ndjson");
  for (const block of blocks) {
    const code = block
      .replace(/^import (\{[^}]+\}) from "@little-stack\/harness\/remote-session";$/gm, "const $1 = entry;")
      .replaceAll('"./sessions.ndjson"', "path");
    expect(code).not.toContain("import ");
    await new AsyncFunction("entry", "path", "console", code)(entry, path, { log: print, error: print });
  }
  expect(printed).toEqual([[1, "app.started"]]);
});

test("a line of the file has the fields that are named, in their order", async () => {
  const path = join(tempDir(), "log.ndjson");
  await fillFileLog(path, 1);
  const [header = "", line = ""] = readFileSync(path, "utf8").split("\n");
  expect(header).toMatch(/^\{"format":"lh\.session-log\.v1","id":"[0-9a-f]{32}"\}$/);
  const named = /Order of the fields: (.*)\./.exec(text)?.[1] ?? "";
  const order = [...named.matchAll(/`(\w+)`/g)]
    .map(([, name]) => name)
    .filter((name) => name !== "occurrenceId");
  expect(Object.keys(JSON.parse(line) as object)).toEqual(order);
});
