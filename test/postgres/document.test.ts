/** The program of docs/postgres.md prints what stands below it. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, inject, test } from "vitest";
import { root } from "../../build/paths.ts";
import { WITHOUT_POSTGRES } from "../helpers/postgres-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

describe.skipIf(WITHOUT_POSTGRES !== "")(`docs/postgres.md${WITHOUT_POSTGRES}`, () => {
  test("has a program that does what it says", () => {
    const blocks = [
      ...readFileSync(join(root, "docs/postgres.md"), "utf8").matchAll(/^```js\n([\s\S]*?)^```/gm),
    ];
    expect(blocks).toHaveLength(1);
    const [, code = ""] = blocks[0] ?? [];
    const built = (name: string) => pathToFileURL(join(root, `dist/${name}.js`)).href;
    const program = join(tempDir(), "program.mjs");
    writeFileSync(
      program,
      code.replace(/@little-stack\/harness\/([a-z-]+)/g, (_, name: string) => built(name)),
    );
    const printed = execFileSync(process.execPath, [program], {
      encoding: "utf8",
      env: { DATABASE_URL: inject("postgres") },
    });
    const expected = [...code.matchAll(/^\/\/ (.*)$/gm)].map(([, line]) => `${line}\n`);
    expect(printed).toBe(expected.join(""));
  });
});
