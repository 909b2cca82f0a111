import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { tempDir } from "../helpers/temp-dir.ts";

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

test("the server's program of docs/options.md answers", async () => {
  const page = readFileSync(join(root, "docs/options.md"), "utf8");
  const program = /^```js\n(.*?prewarm: 2.*?)^```/ms.exec(page)?.[1] ?? "";
  const directory = tempDir();
  const file = join(directory, "server.mjs");
  const library = JSON.stringify(join(root, "dist/index.js"));
  writeFileSync(
    file,
    `${program.replace('"@little-stack/harness"', library)}
for (const name of ["a", "b"]) console.log((await answer("echo " + name, ${JSON.stringify(directory)})).stdout.trim());`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  expect(stdout).toBe("a\nb\n");
});
