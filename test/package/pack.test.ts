/** The package as it is published: what is in it, how large it is, and that it runs with nothing installed. */
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { INSTALL_SCRIPTS } from "../../build/install-size.ts";
import { mustNotAppear, unexpectedFiles } from "../../build/package-files.ts";
import { root } from "../../build/paths.ts";
import { stripperWasm } from "../../build/plugins/strip-types.ts";
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

test("it depends on no other package and runs nothing when it is installed", () => {
  const manifest = JSON.parse(readFileSync(join(packed.folder, "package.json"), "utf8"));
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  expect({ dependencies, optionalDependencies }).toEqual({});
  // For who runs a model with it, or keeps things in a database; npm installs none of these by itself.
  expect(Object.keys(peerDependencies)).toEqual(Object.keys(peerDependenciesMeta));
  for (const meta of Object.values(peerDependenciesMeta)) expect(meta).toEqual({ optional: true });
  expect(INSTALL_SCRIPTS.filter((name) => name in manifest.scripts)).toEqual([]);
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
    dependencies: 0,
    library: loadedBytes(join(packed.folder, "dist/index.js")),
    workerStart: statSync(join(packed.folder, "dist/worker/engine/bundle/chunks/core.cjs")).size,
  };
  const over = Object.entries(SIZE_CEILINGS).filter(([name, max]) => sizes[name as keyof typeof sizes] > max);
  expect(over.map(([name]) => [name, sizes[name as keyof typeof sizes]])).toEqual([]);
});

test("each binary in it is a file of a package that package-lock.json names, byte for byte", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const engine = "dist/worker/engine/bundle/chunks";
  const python = "node_modules/just-bash/vendor/cpython-emscripten";
  const origins: Record<string, string> = {
    [`${engine}/emscripten-module.wasm`]:
      "node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm",
    [`${engine}/sql-wasm.wasm`]: "node_modules/sql.js/dist/sql-wasm.wasm",
    "dist/worker/vendor/cpython-emscripten/python.wasm": `${python}/python.wasm`,
    "dist/worker/vendor/cpython-emscripten/python313.zip": `${python}/python313.zip`,
  };
  const binaries = packed.files.filter((file) => /\.(?:wasm|zip|node|so|dll|dylib)$/.test(file));
  // The type stripper comes as text inside of a script: `stripperWasm` takes it out.
  const stripper = `${engine}/typescript.wasm`;
  expect(binaries).toEqual([...Object.keys(origins), stripper].sort());
  for (const [file, origin] of Object.entries(origins)) {
    expect(readFileSync(join(packed.folder, file)).equals(readFileSync(join(root, origin))), file).toBe(true);
    const owner = Object.keys(packages).find((name) => name !== "" && origin.startsWith(`${name}/`));
    expect(packages[owner ?? ""].integrity, file).toMatch(/^sha512-/);
  }
  expect(readFileSync(join(packed.folder, stripper)).equals(stripperWasm())).toBe(true);
});

test("every package that is in it has its licence in THIRD_PARTY_LICENSES.md", () => {
  const notices = readFileSync(join(packed.folder, "dist/THIRD_PARTY_LICENSES.md"), "utf8");
  const named = [...notices.matchAll(/^\| ([^ |]+) \| [\w.]+ \| [\w.-]+/gm)].map(([, name]) => name);
  const known = ["just-bash", "execa", "sql.js", "quickjs-emscripten-core", "@swc/wasm-typescript"];
  expect(known.filter((name) => !named.includes(name))).toEqual([]);
  for (const name of ["CPython", "QuickJS", "SQLite"]) expect(notices).toContain(`| ${name}`);
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
  // As the core's own loader does it, for chunks that nothing asks for here.
  const program = `
    import { readdirSync, readFileSync } from "node:fs";
    import { join } from "node:path";
    import { pathToFileURL } from "node:url";
    import { runInThisContext } from "node:vm";
    const [folder] = process.argv.slice(1);
    const run = (name) => {
      const module = { exports: {} };
      const file = join(folder, name);
      const code = runInThisContext(readFileSync(file, "latin1"));
      code(require, module, module.exports, file, folder, pathToFileURL(file).href);
      return module.exports;
    };
    const require = (name) =>
      name.startsWith("./") ? chunks[name]?.() ?? run(name.replace(/js$/, "cjs")) : process.getBuiltinModule(name);
    let chunks = {};
    ({ chunks } = run("core.cjs"));
    const failed = [];
    const files = readdirSync(folder).filter((name) => name.endsWith(".cjs") && name !== "core.cjs");
    for (const file of files) {
      try {
        run(file);
      } catch (error) {
        failed.push(file + ": " + error.message);
      }
    }
    console.log(JSON.stringify({ failed, count: files.length }));`;
  const { stdout } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", program, join(packed.folder, "dist/worker/engine/bundle/chunks")],
    { cwd: packed.project, encoding: "utf8", env: {} },
  );
  const { failed, count } = JSON.parse(stdout) as { failed: string[]; count: number };
  expect(count).toBeGreaterThan(100);
  expect(failed).toEqual([
    expect.stringMatching(/^node-liblzma-.*: node-liblzma is not part of this worker$/),
    expect.stringMatching(/^zstd-.*: @mongodb-js\/zstd is not part of this worker$/),
  ]);
});

test("without the AI SDK a turn says what to install, before it touches the disk, and everything else works", () => {
  const program = `
    import { existsSync } from "node:fs";
    import { createHarness, generateHarness, localHost, streamHarness } from "@little-stack/harness";
    const host = localHost({ dataDir: "never-made" });
    const harness = createHarness({ host, model: "some/model" });
    const told = [];
    await generateHarness({ harness, prompt: "go" }).catch((error) => told.push(error.code, error.message));
    await streamHarness({ harness, prompt: "go" }).result.catch((error) => told.push(error.code));
    told.push(existsSync("never-made"));
    const turn = await host.prepareTurn({ runtime: { python: false, javascript: false } });
    const { stdout } = await (await turn.sandbox()).exec("echo works");
    await host.close();
    console.log(JSON.stringify([...told, stdout]));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: packed.project,
    encoding: "utf8",
    env: {},
  });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual([
    "PEER_MISSING",
    expect.stringContaining("npm install ai"),
    "PEER_MISSING",
    false,
    "works\n",
  ]);
});

test("its declarations are checked without an error where the AI SDK is not installed", () => {
  const nodeTypes = join(packed.project, "node_modules/@types/node");
  cpSync(join(root, "node_modules/@types/node"), nodeTypes, { recursive: true });
  const undici = join(root, "node_modules/undici-types");
  cpSync(undici, join(packed.project, "node_modules/undici-types"), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(packed.folder, "package.json"), "utf8"));
  const entries = Object.keys(manifest.exports).filter((name) => manifest.exports[name].types !== undefined);
  const names = entries.map((name) => `export * from "@little-stack/harness${name.slice(1)}";`);
  writeFileSync(join(packed.project, "uses.mts"), names.join("\n"));
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), ...options, "--skipLibCheck", "false", "uses.mts"],
    { cwd: packed.project, encoding: "utf8" },
  );
  expect(stdout).toBe("");
  expect(status).toBe(0);
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
