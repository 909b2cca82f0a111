/** What `build.test.ts` says of the library, of the worker too. Run by `npm run test:slow`: a build takes ten seconds. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleLibrary } from "../../build/bundle-library.ts";
import { bundleWorker } from "../../build/bundle-worker.ts";
import { contentsOf } from "../helpers/contents-of.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("two builds of the same sources are equal byte for byte", async () => {
  const folder = tempDir();
  for (const name of ["first", "second"]) {
    await bundleWorker(join(folder, name, "worker"), "0123456789abcdef");
    await bundleLibrary(join(folder, name), "0123456789abcdef");
  }
  const first = contentsOf(join(folder, "first"));
  expect(Object.keys(first).length).toBeGreaterThan(100);
  expect(contentsOf(join(folder, "second"))).toEqual(first);
}, 120_000);
