/** What docs/harness.md shows is what happens. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { HARNESS_OPTIONS, TURN_OPTIONS } from "../../src/harness/check-options.ts";

const document = readFileSync(join(root, "docs/harness.md"), "utf8");

test("the program is the example, and its events come in the order that the page shows", () => {
  expect(document).toContain(`\`\`\`js\n${readFileSync(join(root, "examples/harness.mjs"), "utf8")}\`\`\``);
  const directory = mkdtempSync(join(tmpdir(), "harness-example-"));
  try {
    const run = spawnSync(process.execPath, [join(root, "examples/harness.mjs")], {
      cwd: directory,
      encoding: "utf8",
    });
    expect(run.status).toBe(0);
    expect(run.stdout).toBe("We sold for 42 in all; the sum is in total.txt.\nstop after 240 tokens\n");
    const [, shown = ""] = /```text\n(.*?)```/s.exec(document) ?? [];
    const order = [...shown.matchAll(/^(harness\S+)/gm)].map(([, type]) => type);
    expect(run.stderr.match(/harness\S+/g)).toEqual(order);
    const sessions = join(directory, "harness-data/sessions");
    const [session = ""] = readdirSync(sessions);
    expect(readFileSync(join(sessions, session, "session/total.txt"), "utf8")).toBe("42\n");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("every option has its row", () => {
  const rows = document
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => [...(line.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const named = new Set(rows.flat());
  const options = new Set([...HARNESS_OPTIONS, ...TURN_OPTIONS]);
  expect([...options].filter((name) => !named.has(name))).toEqual([]);
});
