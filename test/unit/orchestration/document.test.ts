/** Each example of docs/orchestration.md prints what stands below it, over every store of ours. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../../build/paths.ts";
import { fileJsonStore } from "../../../src/orchestration/file-store.ts";
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
) => (services: HarnessOrchestrationServices, console: { log(...values: unknown[]): void }) => Promise<void>;

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
      log: (...values) => printed.push(values.map(String).join(" ")),
    });
    expect(printed).toEqual(expected);
    expect(printed.length).toBeGreaterThan(0);
  });
});
