/** Each example of docs/orchestration.md prints what stands below it, over every store of ours. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../../build/paths.ts";
import { fileJsonStore } from "../../../src/orchestration/file-store.ts";
import { memoryJsonStore } from "../../../src/orchestration/memory-store.ts";
import {
  createDurableOrchestrationServices,
  createInMemoryOrchestrationServices,
} from "../../../src/orchestration/services.ts";
import type { HarnessOrchestrationServices } from "../../../src/shared/orchestration.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const text = readFileSync(join(root, "docs/orchestration.md"), "utf8");
const examples = [...text.matchAll(/^## (.+?)\n(?:(?!^## )[\s\S])*?^```js example\n([\s\S]*?)^```/gm)].map(
  ([, title = "", code = ""]) => ({ title, code }),
);

const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: string[]
) => (this: void, ...values: unknown[]) => Promise<void>;

const STORES: Readonly<Record<string, () => HarnessOrchestrationServices>> = {
  memory: () => createInMemoryOrchestrationServices(),
  files: () =>
    createDurableOrchestrationServices({ store: fileJsonStore({ rootDir: tempDir(), sync: false }) }),
};

test("there is an example of every ledger", () => {
  const ledgers = Object.keys(createInMemoryOrchestrationServices());
  expect(ledgers).toHaveLength(12);
  const toTitle = (ledger: string) => ledger.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  expect(examples.map(({ title }) => title.toLowerCase()).sort()).toEqual(ledgers.map(toTitle).sort());
});

describe.each(Object.entries(STORES))("in %s", (_, open) => {
  test.each(examples)("$title", async ({ code }) => {
    const expected = [...code.matchAll(/^\/\/ (.*)$/gm)].map(([, line]) => line);
    const printed: string[] = [];
    await new AsyncFunction("services", "console", code)(open(), {
      log: (...values: unknown[]) => printed.push(values.map(String).join(" ")),
    });
    expect(printed).toEqual(expected);
    expect(printed.length).toBeGreaterThan(0);
  });
});

test("the other blocks run as they are", async () => {
  const blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code);
  expect(blocks).toHaveLength(3);
  const modules = {
    "@little-stack/harness/host": await import("../../../src/host.ts"),
    "@little-stack/harness/conformance": await import("../../../src/conformance.ts"),
  };
  let last = memoryJsonStore();
  const given = {
    modules,
    createDurableOrchestrationServices,
    myStore: memoryJsonStore(),
    openEmptyStore: () => {
      last = memoryJsonStore();
      return last;
    },
    openItAgain: () => last,
  };
  const printed: unknown[] = [];
  for (const block of blocks) {
    const code = block.replace(/^import (\{[^}]+\}) from ("[^"]+");$/gm, "const $1 = modules[$2];");
    const names = Object.keys(given).filter((name) => !new RegExp(`const [^=]*\\b${name}\\b`).test(code));
    const values = names.map((name) => given[name as keyof typeof given]);
    await new AsyncFunction(...names, "console", code)(...values, {
      log: (value: unknown) => printed.push(value),
    });
  }
  expect(printed).toEqual(["store: 17 of 17 cases passed, 0 left out"]);
});
