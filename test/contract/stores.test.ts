/** One suite, every store. */
import { describe, test } from "vitest";
import { type StoreUnderTest, storeSuite } from "../../src/conformance.ts";
import { fileJsonStore } from "../../src/orchestration/file-store.ts";
import { memoryJsonStore } from "../../src/orchestration/memory-store.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const STORES: Readonly<Record<string, () => StoreUnderTest>> = {
  memory: () => ({ store: memoryJsonStore() }),
  files: () => {
    const rootDir = tempDir();
    const open = () => fileJsonStore({ rootDir, sync: false });
    return { store: open(), other: open() };
  },
};

describe.each(Object.entries(STORES))("the store in %s", (_, open) => {
  for (const { name, run } of storeSuite(open).cases) test(name, run);
});
