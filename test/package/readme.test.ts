/** What the README shows is what happens. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(
    ([, code = ""]) => code,
  );
}

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "readme-"));
  mkdirSync(join(directory, "data"));
  writeFileSync(join(directory, "data/words.txt"), "b\na\nb\n");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("the program is the example, and does what the text below it says", () => {
  const [program] = blocks("js");
  expect(program).toBe(readFileSync(join(root, "examples/ten-lines.mjs"), "utf8"));
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "examples/ten-lines.mjs")], {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, README_SECRET: "must not be seen" },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.split("\n").slice(0, 7)).toEqual([
    "harness.runtime.command.started ",
    "harness.tool_call.started orders.find",
    "harness.tool_call.completed orders.find",
    "harness.runtime.command.completed ",
    "harness.file.created /session/total.txt",
    "42",
    expect.stringMatching(/^[A-Z_]+=/),
  ]);
  expect(stdout).not.toContain("must not be seen");
  expect(readFileSync(join(directory, "data/total.txt"), "utf8")).toBe("42\n");
});

test("every command line works as written", () => {
  const bin = join(directory, "bin");
  mkdirSync(bin);
  writeFileSync(
    join(bin, "little-harness"),
    `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/cli.js")}" "$@"\n`,
  );
  chmodSync(join(bin, "little-harness"), 0o755);
  const run = (line: string) =>
    spawnSync("sh", ["-c", line], {
      cwd: directory,
      encoding: "utf8",
      input: "",
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    });
  const lines = blocks("sh")
    .flatMap((block) => block.split("\n"))
    .filter((line) => line.includes("little-harness "));
  const results = lines.map((line) => run(line));
  expect(results.map(({ status }) => status)).toEqual([0, 0, 3, 0, 0]);
  expect(results.map(({ stderr }) => stderr)).toEqual(["", "", "", "", ""]);
  const [count, counts, json, reversed, help] = results.map(({ stdout }) => stdout);
  expect(count?.trim()).toBe("1");
  expect(counts).toMatch(/^\s*1 a\n\s*2 b\n$/);
  expect(JSON.parse(json ?? "")).toMatchObject({ exitCode: 3, stdout: "one JSON object\n" });
  expect(reversed).toBe("3\n2\n1\n");
  expect(help).toContain("--mount");
});

test("every link inside the repository leads somewhere", () => {
  const targets = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = ""]) => target);
  expect(targets.length).toBeGreaterThan(0);
  for (const target of targets) expect(existsSync(join(root, target)), target).toBe(true);
});
