/** The programs of docs/custom-sandbox.md, as written, with the package installed as a user has it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const NAMES = ["my-remote-sandbox.ts", "my-remote-sandbox.test.ts", "prove.ts"];

/** A project with the page's blocks as its files, in the order in which they stand there. */
function projectOfPage(): string {
  const page = readFileSync(join(root, "docs/custom-sandbox.md"), "utf8");
  const blocks = [...page.matchAll(/```ts\n([\s\S]+?)```/g)].map(([, block = ""]) => block);
  expect(blocks).toHaveLength(NAMES.length);
  const project = tempDir();
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  for (const [index, name] of NAMES.entries()) writeFileSync(join(project, name), blocks[index] ?? "");
  mkdirSync(join(project, "node_modules/@little-stack"), { recursive: true });
  symlinkSync(root, join(project, "node_modules/@little-stack/harness"), "junction");
  return project;
}

function run(project: string, ...args: string[]) {
  // An environment without what the test runner tells its own children.
  const env = { PATH: process.env.PATH ?? "" };
  return spawnSync(process.execPath, args, { cwd: project, encoding: "utf8", env });
}

const tsx = ["--import", `file://${join(root, "node_modules/tsx/dist/esm/index.mjs")}`];

test("the programs that prove the example type-check under strict rules, as written", () => {
  const project = projectOfPage();
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  // The example leaves its input unused, as an example may.
  const options = {
    ...compilerOptions,
    noUnusedParameters: false,
    typeRoots: [join(root, "node_modules/@types")],
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: NAMES }));
  const { stdout } = run(project, join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.json");
  expect(stdout).toBe("");
});

test("the example as written, which answers «not implemented», passes what such a sandbox can, and the report tells the rest", () => {
  const { status, stdout, stderr } = run(projectOfPage(), ...tsx, "prove.ts");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const [, passed, of, leftOut] =
    /sandbox: (\d+) of (\d+) cases passed, (\d+) left out\n$/.exec(stdout) ?? [];
  expect(Number(passed)).toBeGreaterThan(20);
  expect(passed).toBe(of);
  expect(stdout.split("\n").filter((line) => line.endsWith("(scripts)"))).not.toEqual([]);
  expect(Number(leftOut)).toBeGreaterThan(50);
});

test("its cases are tests of node:test, one by one", () => {
  const { status, stdout } = run(projectOfPage(), ...tsx, "--test-reporter=tap", "my-remote-sandbox.test.ts");
  expect(stdout).toMatch(/^ok \d+ - fs changes nothing on a read-only mount$/m);
  expect(stdout).not.toMatch(/^not ok/m);
  expect(status).toBe(0);
});

test("the example that claims scripts fails, and each failure says promise, expectation and what came", () => {
  const project = projectOfPage();
  const prove = readFileSync(join(project, "prove.ts"), "utf8");
  writeFileSync(join(project, "prove.ts"), prove.replace("{ scripts: false }", "{}"));
  const { status, stdout } = run(project, ...tsx, "prove.ts");
  expect(status).toBe(1);
  expect(stdout).toMatch(
    /^FAILED {2}contract: stdin reaches the script byte for byte: stdoutBytes: expected .+, came /m,
  );
});
