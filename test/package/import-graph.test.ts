/** What `import "@little-stack/harness"` costs whoever never opens a sandbox: our files, and nothing that acts. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { OPTIONAL_PEERS } from "../../build/esbuild-options.ts";
import { importsOf } from "../../build/import-rules.ts";
import { root } from "../../build/paths.ts";

const ENTRIES = ["index.js", "sandbox.js", "host.js", "remote-session.js", "conformance.js"];

/** Modules of Node.js that can start a program, connect or listen, which no import may load. */
const ACTING = /^node:(?:child_process|cluster|net|tls|https?|http2|dgram|inspector|vm)(?:\/|$)/;

/** What a built file imports at once, and what it imports later, as they are written. */
function readImports(file: string): { now: string[]; later: string[] } {
  const text = readFileSync(file, "utf8");
  const later = [...text.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/g)].map(([, specifier = ""]) => specifier);
  const all = importsOf(text).map(({ specifier }) => specifier);
  return { now: all.filter((specifier) => !later.includes(specifier)), later };
}

/** Everything outside that is loaded with `file`. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  const outside = new Set<string>();
  if (seen.has(file)) return outside;
  seen.add(file);
  for (const specifier of readImports(file).now) {
    if (!specifier.startsWith(".")) outside.add(specifier);
    else for (const name of loadedWith(join(dirname(file), specifier), seen)) outside.add(name);
  }
  return outside;
}

test.each(ENTRIES)("%s imports nothing but Node.js, and nothing of it that acts", (entry) => {
  const outside = [...loadedWith(join(root, "dist", entry))];
  expect(outside.join(" ")).toContain("node:");
  expect(outside.filter((name) => !isBuiltin(name) || !name.startsWith("node:"))).toEqual([]);
  expect(outside.filter((name) => ACTING.test(name))).toEqual([]);
});

/** Entry → the optional peers that it may load. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  "index.js": ["ai"],
  "host.js": ["pg"],
  "remote-session.js": ["pg"],
};

test("each optional peer is loaded by an entry", () => {
  expect([...new Set(Object.values(PEERS).flat())].sort()).toEqual([...OPTIONAL_PEERS].sort());
});

test.each(ENTRIES)("the one package that %s may load later is its optional peer", (entry) => {
  const seen = new Set<string>();
  const later = new Set<string>();
  const look = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const imports = readImports(file);
    for (const specifier of [...imports.now, ...imports.later]) {
      if (specifier.startsWith(".")) look(join(dirname(file), specifier));
      else if (!isBuiltin(specifier)) later.add(specifier);
    }
  };
  look(join(root, "dist", entry));
  expect([...later]).toEqual(PEERS[entry] ?? []);
});

test.each(ENTRIES)("no file that %s imports at once holds execa, the engine or zod", (entry) => {
  const files = new Set<string>();
  loadedWith(join(root, "dist", entry), files);
  expect(files.size).toBeGreaterThan(entry === "conformance.js" ? 1 : 3);
  const holding = [...files].filter((file) =>
    /^\/\/ node_modules\/(?:execa|just-bash|zod|quickjs)/m.test(readFileSync(file, "utf8")),
  );
  expect(holding).toEqual([]);
});

test.each(ENTRIES)("importing %s changes nothing in the process that imports it", (entry) => {
  const program = `
    const look = () => ({
      globals: Reflect.ownKeys(globalThis).map(String),
      prototypes: [Object, Array, Function, Promise, Error].map((c) => Reflect.ownKeys(c.prototype).map(String)),
      listeners: process.eventNames().map(String),
      // Reading the modules leaves requests behind for a moment.
      handles: process.getActiveResourcesInfo().filter((name) => !name.endsWith("Req")),
      env: { ...process.env },
      cwd: process.cwd(),
    });
    const before = look();
    const loaded = new Set(process.moduleLoadList);
    await import(process.argv[1]);
    const acting = process.moduleLoadList.filter((name) => !loaded.has(name));
    console.log(JSON.stringify({ before, after: look(), acting }));`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", program, join(root, "dist", entry)],
    { encoding: "utf8", env: {} },
  );
  expect(stderr).toBe("");
  const { before, after, acting } = JSON.parse(stdout) as { before: object; after: object; acting: string[] };
  expect(after).toEqual(before);
  expect(
    acting.filter((name) =>
      /^NativeModule (?:child_process|cluster|net|tls|https?|dgram|inspector|vm)$/.test(name),
    ),
  ).toEqual([]);
});
