/** The package as it is published: what is in it, how large it is, and that it runs with nothing installed. */
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mustNotAppear, unexpectedFiles } from "../../build/package-files.ts";
import { root } from "../../build/paths.ts";
import { SIZE_CEILINGS } from "../../build/size-ceilings.ts";
import { type PackedPackage, packPackage } from "../helpers/packed-package.ts";

let packed: PackedPackage;
beforeAll(() => {
  packed = packPackage();
}, 60_000);
afterAll(() => packed?.remove());

test("it holds the files that users need and no others", () => {
  expect(unexpectedFiles(packed.files)).toEqual([]);
  expect(packed.files).toEqual(
    expect.arrayContaining([
      "README.md",
      "LICENSE",
      "dist/THIRD_PARTY_LICENSES.md",
      "dist/types/index.d.ts",
      "dist/worker/main.js",
      "dist/worker/engine.js",
      "dist/worker/lifeline.js",
    ]),
  );
});

test("every file that package.json points at is in it", () => {
  const manifest = JSON.parse(readFileSync(join(packed.folder, "package.json"), "utf8"));
  const targets = [...Object.values(manifest.exports), ...Object.values(manifest.bin)]
    .flatMap((target) => (typeof target === "string" ? target : Object.values(target as object)))
    .map((target: string) => target.replace(/^\.\//, ""));
  expect(targets.filter((target) => !packed.files.includes(target))).toEqual([]);
});

test("it depends on no other package", () => {
  const manifest = JSON.parse(readFileSync(join(packed.folder, "package.json"), "utf8"));
  const { dependencies, peerDependencies, optionalDependencies } = manifest;
  expect({ dependencies, peerDependencies, optionalDependencies }).toEqual({});
});

test("nothing in it tells where it was built", () => {
  const texts = packed.files.filter((file) => /\.(?:js|cjs|ts|json|md)$/.test(file));
  const words = mustNotAppear(root);
  const found = texts.filter((file) => {
    const text = readFileSync(join(packed.folder, file), "utf8");
    return words.some((word) => text.includes(word));
  });
  expect(found).toEqual([]);
});

test("it is no larger than its ceilings", () => {
  const sizes = {
    tarball: packed.tarballBytes,
    unpacked: packed.unpackedBytes,
    library: loadedBytes(join(packed.folder, "dist/index.js")),
    workerStart: loadedBytes(join(packed.folder, "dist/worker/engine.js")),
  };
  const over = Object.entries(SIZE_CEILINGS).filter(([name, max]) => sizes[name as keyof typeof sizes] > max);
  expect(over.map(([name]) => [name, sizes[name as keyof typeof sizes]])).toEqual([]);
});

test("the ten-line program runs in a project that has nothing but the package", () => {
  copyFileSync(join(root, "examples/ten-lines.mjs"), join(packed.project, "program.mjs"));
  const { status, stdout, stderr } = spawnSync(process.execPath, ["program.mjs"], {
    cwd: packed.project,
    encoding: "utf8",
    env: { SECRET: "must not be seen" },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("harness.file.created /session/total.txt");
  expect(stdout).not.toContain("must not be seen");
  expect(readFileSync(join(packed.project, "data/total.txt"), "utf8")).toBe("42\n");
});

test("the worker folder alone, moved to an empty directory, runs bash, JavaScript, TypeScript, Python and SQL", () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "moved-worker-"));
  try {
    cpSync(join(packed.folder, "dist/worker"), join(elsewhere, "engine"), { recursive: true });
    const program = `
      import { openSandbox } from "@little-stack/harness";
      const sandbox = await openSandbox({ mounts: { "/session": "." }, workerPath: process.argv[1] });
      const scripts = [
        "seq 3 | sort -r | head -1",
        "js-exec -c 'console.log(6 * 7)'",
        "echo 'const n: number = 6; console.log(n * 7)' > /tmp/a.ts && js-exec /tmp/a.ts",
        "python3 -c 'print(6 * 7)'",
        "sqlite3 :memory: 'select 6 * 7'",
      ];
      for (const script of scripts) console.log(JSON.stringify(await sandbox.exec(script).then((r) => r.stdout + r.stderr)));
      await sandbox.dispose();`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", program, join(elsewhere, "engine/main.js")],
      { cwd: packed.project, encoding: "utf8", env: {} },
    );
    expect(stderr).toBe("");
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(["3\n", "42\n", "42\n", "42\n", "42\n"]);
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
});

test("every part of the engine loads from the worker folder, but for two native codecs that tar can do without", () => {
  const program = `
    import { readdirSync } from "node:fs";
    import { pathToFileURL } from "node:url";
    const [folder] = process.argv.slice(1);
    const failed = [];
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".js") && !name.endsWith("worker.js"))) {
      await import(pathToFileURL(folder + "/" + file)).catch((error) => failed.push(file + ": " + error.message));
    }
    console.log(JSON.stringify(failed));`;
  const { stdout } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", program, join(packed.folder, "dist/worker/engine/bundle/chunks")],
    { cwd: packed.project, encoding: "utf8", env: {} },
  );
  expect(JSON.parse(stdout)).toEqual([
    expect.stringMatching(/^node-liblzma-.*: node-liblzma is not part of this worker$/),
    expect.stringMatching(/^zstd-.*: @mongodb-js\/zstd is not part of this worker$/),
  ]);
});

/** Bytes of a module and of all that it imports statically. */
function loadedBytes(entry: string, seen = new Set<string>()): number {
  if (seen.has(entry)) return 0;
  seen.add(entry);
  const text = readFileSync(entry, "utf8");
  const imports = [
    ...text.matchAll(
      /^(?:import|export)\b[^;]*?"(\.{1,2}\/[^"]+\.js)";|(?<=;)(?:import|export)[^;"]*"(\.{1,2}\/[^"]+\.js)"/gm,
    ),
  ];
  return imports.reduce(
    (sum, [, first, second]) => sum + loadedBytes(join(dirname(entry), first ?? second ?? ""), seen),
    statSync(entry).size,
  );
}
