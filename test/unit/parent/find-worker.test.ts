import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { findWorker, locateWorker } from "../../../src/parent/find-worker.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

function folderWithWorker(): string {
  const folder = tempDir();
  mkdirSync(join(folder, "worker"));
  writeFileSync(join(folder, "worker", "main.js"), "");
  return folder;
}

test("a workerPath may be the file or its folder, as a path or as a URL", () => {
  const folder = join(folderWithWorker(), "worker");
  const file = join(folder, "main.js");
  for (const given of [file, folder, pathToFileURL(file), pathToFileURL(folder), pathToFileURL(file).href]) {
    expect(findWorker(given)).toBe(file);
  }
});

test("without one, the worker beside the module is taken", () => {
  const folder = folderWithWorker();
  expect(findWorker(null, pathToFileURL(join(folder, "chunk.js")).href)).toBe(join(folder, "worker/main.js"));
});

test("else it is resolved as a package from the module", () => {
  const app = tempDir();
  const packed = join(app, "node_modules/@little-stack/harness");
  mkdirSync(join(packed, "dist/worker"), { recursive: true });
  writeFileSync(join(packed, "dist/worker/main.js"), "");
  const exports = { "./worker": "./dist/worker/main.js" };
  writeFileSync(join(packed, "package.json"), JSON.stringify({ name: "@little-stack/harness", exports }));
  expect(findWorker(null, pathToFileURL(join(app, "out/app.js")).href)).toBe(
    join(packed, "dist/worker/main.js"),
  );
});

test("a worker that is nowhere is an error that lists what was tried and what to set", () => {
  const missing = join(tempDir(), "main.js");
  expect(() => findWorker(missing)).toThrow(missing);
  expect(() => findWorker(missing)).toThrow(expect.objectContaining({ code: "WORKER_NOT_FOUND" }) as Error);
});

test("which way led to the worker is told", () => {
  const folder = folderWithWorker();
  const beside = pathToFileURL(join(folder, "chunk.js")).href;
  expect(locateWorker(null, beside).foundBy).toBe("beside the library");
  expect(locateWorker(join(folder, "worker"), beside).foundBy).toBe("workerPath");
});
