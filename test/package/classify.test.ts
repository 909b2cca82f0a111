/** `classifyCommand` as it is built: where its classifier comes from, and that nobody else pays for it. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { TIER_ONE_COMMANDS } from "../../src/tiers/rules.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const library = join(root, "dist/index.js");
const classifier = join(root, "dist/worker/classify.cjs");

/** What a program that is an ES module prints, as JSON. */
function run(program: string, folder = root): unknown {
  const file = join(folder, "program.mjs");
  if (folder !== root) writeFileSync(file, program);
  const args = folder === root ? ["--input-type=module", "--eval", program] : [file];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env: {} });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

/** A worker's folder with what classification needs of it. */
function copyWorker(into: string, buildId?: string): string {
  mkdirSync(into, { recursive: true });
  for (const file of ["main.js", "classify.cjs", "package.json", "build-id.json"])
    copyFileSync(join(root, "dist/worker", file), join(into, file));
  if (buildId !== undefined) writeFileSync(join(into, "build-id.json"), JSON.stringify({ buildId }));
  return into;
}

async function bundleInto(folder: string): Promise<string> {
  const file = join(folder, "app.mjs");
  await build({
    entryPoints: [library],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: file,
    external: ["ai"],
    logLevel: "error",
  });
  return pathToFileURL(file).href;
}

test("the program in docs/tiers.md prints what its comments say", () => {
  const docs = readFileSync(join(root, "docs/tiers.md"), "utf8");
  const [, program = ""] = /```ts\n(import \{ classifyCommand \}.*?)```/s.exec(docs) ?? [];
  const imported = program.replace('"@little-stack/harness"', JSON.stringify(library));
  const printed = run(
    `${imported.replaceAll("console.log", "said.push")}console.log(JSON.stringify(said))`.replace(
      /^/,
      "const said = [];\n",
    ),
  );
  expect(printed).toEqual([
    1,
    ["git", "npm"],
    expect.objectContaining({ command: "git", line: 2, column: 9, offset: 15 }),
  ]);
  expect(program).toContain("// 1 [ 'git', 'npm' ]");
  expect(program).toContain('// { command: "git", why: "…", line: 2, column: 9, offset: 15 }');
});

test("importing the package loads no classifier, and the first call loads one file", () => {
  const [before, after] = run(`
    import { createRequire } from "node:module";
    import { classifyCommand } from ${JSON.stringify(library)};
    const loaded = () => Object.keys(createRequire(import.meta.url).cache);
    const before = loaded();
    classifyCommand("true");
    classifyCommand("git");
    console.log(JSON.stringify([before, loaded()]));`) as string[][];
  expect(before).toEqual([]);
  expect(after).toEqual([classifier]);
});

test("a bundled application finds the classifier in the folder that it copied, beside itself or by workerPath", async () => {
  const folder = tempDir();
  const app = await bundleInto(folder);
  const elsewhere = copyWorker(join(folder, "copied"));
  const program = (options: string) =>
    `import { classifyCommand } from ${JSON.stringify(app)};
     console.log(JSON.stringify(classifyCommand("git status", ${options}).commands));`;
  expect(run(program(`{ workerPath: ${JSON.stringify(elsewhere)} }`), folder)).toEqual(["git"]);
  expect(run(program(`{ workerPath: ${JSON.stringify(join(elsewhere, "main.js"))} }`), folder)).toEqual([
    "git",
  ]);
  expect(
    run(program(`{ workerPath: new URL(${JSON.stringify(pathToFileURL(elsewhere).href)}) }`), folder),
  ).toEqual(["git"]);
  copyWorker(join(folder, "worker"));
  expect(run(program("{}"), folder)).toEqual(["git"]);
});

test("a worker of another build is not used, and an absent one is said to be absent", async () => {
  const folder = tempDir();
  const app = await bundleInto(folder);
  const other = copyWorker(join(folder, "worker"), "0123456789abcdef");
  const codes = run(
    `import { classifyCommand } from ${JSON.stringify(app)};
     const code = (options) => { try { classifyCommand("git", options); return null } catch (error) { return error.code } };
     console.log(JSON.stringify([{}, { workerPath: ${JSON.stringify(other)} }, { workerPath: "/nowhere" }].map(code)));`,
    folder,
  );
  expect(codes).toEqual(["WORKER_NOT_FOUND", "WORKER_VERSION", "WORKER_NOT_FOUND"]);
});

test("tier 0 finds none of the commands that need tier 1, when it is asked for each", () => {
  const found = run(`
    import { openSandbox } from ${JSON.stringify(library)};
    const sandbox = await openSandbox({ mounts: { "/w": "." }, sandbox: "just-bash" });
    const script = 'for name in "$@"; do command -v -- "$name"; done; command -v ls';
    const { stdout } = await sandbox.exec(script, { args: ${JSON.stringify(Object.keys(TIER_ONE_COMMANDS))} });
    await sandbox.dispose();
    console.log(JSON.stringify(stdout.trim().split("\\n").map((path) => path.split("/").at(-1))));`);
  expect(found).toEqual(["ls"]);
});

test("what is cut out of the engine names nothing that was left behind", () => {
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/typescript/bin/tsc"),
      ...["--noEmit", "--ignoreConfig", "--allowJs", "--checkJs", "--skipLibCheck"],
      ...["--target", "esnext", "--types", "node", classifier],
    ],
    { cwd: root, encoding: "utf8" },
  );
  expect(stdout).toContain("classify.cjs");
  expect(stdout.match(/.*Cannot find name.*/g) ?? []).toEqual([]);
});

test("parser and classifier stay a small file", () => {
  // 140 kB when this was set: more would be the interpreter, or a part of it.
  expect(readFileSync(classifier).length).toBeLessThan(155_000);
});
