/**
 * The bundlers that are there anyway, on the very files of examples/bundling/, which are the ones that the
 * documentation shows. All of them: `npm run test:bundlers`.
 */
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { type PackedPackage, packPackage } from "../helpers/packed-package.ts";
import { BUNDLERS, bundle } from "./bundlers/bundlers.ts";
import { holdingWorker, tryBundle, WAYS } from "./bundlers/try-bundle.ts";

const here = BUNDLERS.filter(({ name }) => ["esbuild", "Vite (SSR)"].includes(name));

let packed: PackedPackage;
beforeAll(() => {
  packed = packPackage();
  const examples = join(root, "examples/bundling");
  for (const name of readdirSync(examples).filter((name) => name.endsWith(".mjs"))) {
    cpSync(join(examples, name), join(packed.project, name));
  }
  for (const name of ["esbuild", "vite"]) {
    symlinkSync(join(root, "node_modules", name), join(packed.project, "node_modules", name));
  }
}, 60_000);
afterAll(() => packed?.remove());

describe.each(here)("$name", (bundler) => {
  beforeAll(() => {
    rmSync(join(packed.project, "out"), { recursive: true, force: true });
    bundle(bundler, packed.project);
  }, 60_000);

  test.each(bundler.extensions.flatMap((extension) => WAYS.map((way) => ({ extension, way }))))(
    "the ten-line program as .$extension ($way) does what it does unbundled, or says what to set",
    ({ extension, way }) => {
      expect(tryBundle(packed.project, extension, way)).toBeNull();
    },
  );

  test("the bundle holds nothing of the worker", () => {
    expect(holdingWorker(packed.project)).toEqual([]);
  });
});

const document = readFileSync(join(root, "docs/bundling.md"), "utf8");

test.each([
  "program.mjs",
  "main.mjs",
  "esbuild.mjs",
  "rollup.config.mjs",
  "vite.config.mjs",
  "webpack.config.mjs",
  "next/next.config.mjs",
  "next/app/run/route.js",
])("docs/bundling.md shows examples/bundling/%s as it is", (name) => {
  expect(document).toContain(
    `\`\`\`js\n${readFileSync(join(root, "examples/bundling", name), "utf8")}\`\`\``,
  );
});

test("docs/bundling.md has a result for each bundler, of the version that is tried", () => {
  for (const { name, packages } of BUNDLERS) {
    expect(document).toMatch(
      new RegExp(`\\| ${name.replace(/[()]/g, "\\$&")} ${Object.values(packages)[0]} `),
    );
  }
});
