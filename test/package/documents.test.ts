import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../build/paths.ts";

const documents = [
  "README.md",
  "SECURITY.md",
  "CONTRIBUTING.md",
  "AGENTS.md",
  "CHANGELOG.md",
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md"));

describe.each(documents)("%s", (name) => {
  const text = readFileSync(join(root, name), "utf8");

  test("names only files of the project that are there", () => {
    const named = [...text.matchAll(/`((?:src|test|build|bench|docs|examples)\/[\w./-]+)`/g)].map(
      ([, path]) => path,
    );
    const missing = named.filter((path) => path !== undefined && !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  test("has only programs that the oldest Node.js parses", () => {
    expect([...text.matchAll(/^```[jt]s\n(.*?)^```/gms)].map(([, code]) => code).join("")).not.toContain(
      "await using",
    );
  });

  test("has links inside the project that lead somewhere", () => {
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map(([, path]) => path ?? "");
    const from = join(root, name, "..");
    expect(links.filter((path) => !existsSync(join(from, path)))).toEqual([]);
  });
});

test("each row of SECURITY.md has a wall in the sources and a test", () => {
  const rows = readFileSync(join(root, "SECURITY.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && line.includes("`src/"));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(row).toMatch(/`src\/[^`]+`.*`test\/[^`]+\.test\.ts`/);
});
