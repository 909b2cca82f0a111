import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { findWorker, locateWorker } from "../../../src/parent/find-worker.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const BUILD = "0123456789abcdef";

/** A worker as far as its files tell, in `folder`; `null`: a `main.js` of somebody else. */
function putWorker(folder: string, buildId: string | null = BUILD): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "main.js"), "");
  if (buildId !== null) writeFileSync(join(folder, "build-id.json"), JSON.stringify({ buildId }));
  return join(folder, "main.js");
}

function install(project: string, buildId = BUILD): string {
  const packed = join(project, "node_modules/@little-stack/harness");
  const file = putWorker(join(packed, "dist/worker"), buildId);
  const exports = { "./worker": "./dist/worker/main.js" };
  writeFileSync(join(packed, "package.json"), JSON.stringify({ name: "@little-stack/harness", exports }));
  return file;
}

const moduleIn = (folder: string): string => pathToFileURL(join(folder, "chunk.js")).href;

test("a workerPath may be the file or its folder, as a path or as a URL", () => {
  const folder = join(tempDir(), "worker");
  const file = putWorker(folder, null);
  for (const given of [file, folder, pathToFileURL(file), pathToFileURL(folder), pathToFileURL(file).href]) {
    expect(findWorker(given)).toBe(file);
  }
});

test("the order is: beside the module, its package, the package of the directory", () => {
  const [app, directory] = [tempDir(), tempDir()];
  const start = { moduleUrl: moduleIn(app), directory, buildId: BUILD };
  const inDirectory = install(directory);
  expect(locateWorker(null, start)).toEqual({ file: inDirectory, foundBy: "package of the directory" });
  const ofModule = install(app);
  expect(locateWorker(null, start)).toEqual({ file: ofModule, foundBy: "package of the library" });
  const beside = putWorker(join(app, "worker"));
  expect(locateWorker(null, start)).toEqual({ file: beside, foundBy: "beside the library" });
  expect(locateWorker(beside, start)).toEqual({ file: beside, foundBy: "workerPath" });
});

test("a workerPath that is not there is an error, also where a worker would have been found", () => {
  const app = tempDir();
  putWorker(join(app, "worker"));
  const missing = join(tempDir(), "main.js");
  const find = () => findWorker(missing, { moduleUrl: moduleIn(app), directory: app, buildId: BUILD });
  expect(find).toThrow(missing);
  expect(find).toThrow(expect.objectContaining({ code: "WORKER_NOT_FOUND" }) as Error);
});

test("an application's own worker/main.js beside the bundle is passed over", () => {
  const app = tempDir();
  putWorker(join(app, "worker"), null);
  const ours = install(app);
  expect(findWorker(null, { moduleUrl: moduleIn(app), directory: app, buildId: BUILD })).toBe(ours);
});

test("a worker of another build is passed over, and the error says so", () => {
  const [app, directory] = [tempDir(), tempDir()];
  install(directory, "fedcba9876543210");
  const start = { moduleUrl: moduleIn(app), directory, buildId: BUILD };
  expect(() => findWorker(null, start)).toThrow(`of build fedcba9876543210, and this module of ${BUILD}`);
  expect(findWorker(null, { ...start, moduleUrl: moduleIn(app), directory: install(app) })).toContain(app);
});

test.each(["file", undefined])(
  "a worker that is nowhere is an error that lists what was tried and what to set (module: %s)",
  (kind) => {
    const [app, directory] = [tempDir(), tempDir()];
    const moduleUrl = kind === undefined ? undefined : moduleIn(app);
    let thrown: unknown;
    try {
      findWorker(null, { moduleUrl, directory });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: "WORKER_NOT_FOUND" });
    const { message } = thrown as Error;
    const places = kind === undefined ? [directory] : [join(app, "worker/main.js"), app, directory];
    for (const place of places) expect(message).toContain(place);
    for (const word of ["external", "serverExternalPackages", "workerPath"]) expect(message).toContain(word);
  },
);
