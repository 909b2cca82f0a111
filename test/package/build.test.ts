/**
 * The build keeps its promises to those who run it: same sources, same bytes (of the worker too: `same-bytes.test.ts`);
 * never half of one.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { computeBuildId } from "../../build/build-id.ts";
import { withBuildLock } from "../../build/build-lock.ts";
import { bundleLibrary } from "../../build/bundle-library.ts";
import { root } from "../../build/paths.ts";
import { justBashErrors } from "../../build/plugins/just-bash-errors.ts";
import { syncFolder } from "../../build/sync-folder.ts";
import { contentsOf } from "../helpers/contents-of.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "build-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("two builds of the library from the same sources are equal byte for byte", async () => {
  for (const name of ["first", "second"]) await bundleLibrary(join(folder, name), "0123456789abcdef");
  const first = contentsOf(join(folder, "first"));
  expect(Object.keys(first).length).toBeGreaterThan(50);
  expect(contentsOf(join(folder, "second"))).toEqual(first);
});

test("the worker's folder names the build that the sources give", () => {
  const { buildId } = JSON.parse(readFileSync(join(root, "dist/worker/build-id.json"), "utf8"));
  expect(buildId).toBe(computeBuildId());
});

test("an engine that no longer holds the error class stops the build with its name", async () => {
  const bundle = join(folder, "bundle");
  cpSync(join(root, "node_modules/just-bash/dist/bundle/index.js"), join(bundle, "index.js"));
  mkdirSync(join(bundle, "chunks"));
  const { build } = await import("esbuild");
  const outcome = build({
    stdin: { contents: 'export * from "just-bash:errors";' },
    bundle: true,
    write: false,
    logLevel: "silent",
    plugins: [justBashErrors(bundle)],
  });
  await expect(outcome).rejects.toThrow("BadSubstitutionError is defined in 0 chunks of just-bash");
});

test("syncing replaces what changed, removes what is gone and leaves the rest untouched", () => {
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("from/same", "same");
  write("from/deep/changed", "new");
  write("from/added", "added");
  write("to/same", "same");
  write("to/deep/changed", "old");
  write("to/gone/file", "gone");
  const before = statSync(join(folder, "to/same"));
  syncFolder(join(folder, "from"), join(folder, "to"));
  expect(contentsOf(join(folder, "to"))).toEqual({ same: "same", "deep/changed": "new", added: "added" });
  expect(statSync(join(folder, "to/same")).ino).toBe(before.ino);
  expect(readdirSync(join(folder, "to")).sort()).toEqual(["added", "deep", "same"]);
});

test("builds wait for each other, and a lock of a process that is gone holds nobody up", async () => {
  const gone = spawn(process.execPath, ["--eval", ""]);
  await once(gone, "exit");
  const lock = join(folder, "build.lock");
  writeFileSync(lock, String(gone.pid));
  const order: string[] = [];
  const first = withBuildLock(async () => {
    order.push("first starts");
    await new Promise((resolve) => setImmediate(resolve));
    order.push("first ends");
  }, lock);
  const second = withBuildLock(async () => order.push("second starts"), lock);
  await Promise.all([first, second]);
  expect(order).toEqual(["first starts", "first ends", "second starts"]);
});
