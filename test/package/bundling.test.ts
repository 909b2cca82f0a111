/**
 * The bundlers that are there anyway, on the very files of examples/bundling/, which are the ones that the
 * documentation shows. All of them: `npm run test:bundlers`.
 */
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { type PackedPackage, packPackage } from "../helpers/packed-package.ts";
import { BUNDLERS, bundle } from "./bundlers/bundlers.ts";
import { holdingWorker, tryBundle, WAYS } from "./bundlers/try-bundle.ts";

const here = BUNDLERS.filter(({ name }) => ["esbuild", "Vite (SSR)"].includes(name));

/** Says how a turn ended, or which error it met and whether that tells of a failed load. */
const ASKS_A_SCRIPT = `
import { createHarness, localHost, streamHarness } from "@little-stack/harness";
import { scriptedModel } from "./scripted-model.mjs";
const host = localHost({ dataDir: "asks-a-script" });
const harness = createHarness({ host, model: scriptedModel(), bash: false, maxSteps: 2 });
await streamHarness({ harness, prompt: "go" }).result.then(
  ({ finishReason }) => console.log(finishReason),
  ({ code, message }) => console.log(code, message.includes("is there but failed to load")),
);`;

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

test.each([
  [
    "esbuild",
    `import { build } from "esbuild";
    const { warnings } = await build({
      entryPoints: ["asks-a-model.mjs"], outfile: "out-model/esbuild.mjs",
      bundle: true, platform: "node", format: "esm", logLevel: "silent",
    });
    if (warnings.length > 0) throw new Error(JSON.stringify(warnings));`,
    "esbuild.mjs",
  ],
  [
    "vite",
    `import { build } from "vite";
    await build({
      configFile: false, logLevel: "error", ssr: { noExternal: true },
      build: { ssr: "asks-a-model.mjs", outDir: "out-model", emptyOutDir: false,
        rollupOptions: { output: { entryFileNames: "vite.mjs" } } },
    });`,
    "vite.mjs",
  ],
])(
  "%s bundles a program with a harness where the AI SDK is missing; run, it says what to install",
  (_name, code, file) => {
    const program = `
    import { createHarness, generateHarness, localHost } from "@little-stack/harness";
    const harness = createHarness({ host: localHost(), model: "some/model" });
    await generateHarness({ harness, prompt: "go" }).catch(({ code }) => console.log(code));`;
    writeFileSync(join(packed.project, "asks-a-model.mjs"), program);
    const run = (args: string[]) =>
      spawnSync(process.execPath, args, { cwd: packed.project, encoding: "utf8", timeout: 60_000 });
    expect(run(["--input-type=module", "--eval", code])).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(run([join("out-model", file)])).toMatchObject({ stdout: "PEER_MISSING\n", stderr: "" });
  },
);

test.each([
  ["as it is", {}, "PEER_MISSING true"],
  ["left outside", { external: ["ai"] }, "stop"],
  [
    "with a require",
    {
      banner: {
        js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`,
      },
    },
    "stop",
  ],
])("an ESM bundle of esbuild with the AI SDK in it, %s", (way, options, expected) => {
  symlinkSync(join(root, "node_modules/ai"), join(packed.project, "node_modules/ai"));
  try {
    writeFileSync(join(packed.project, "asks-a-script.mjs"), ASKS_A_SCRIPT);
    cpSync(join(root, "examples/scripted-model.mjs"), join(packed.project, "scripted-model.mjs"));
    const outfile = `out-model/${way.replaceAll(" ", "-")}.mjs`;
    const build = {
      entryPoints: ["asks-a-script.mjs"],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
    };
    const code = `import { build } from "esbuild"; await build(${JSON.stringify({ ...build, ...options, logLevel: "silent" })});`;
    const run = (args: string[]) =>
      spawnSync(process.execPath, args, { cwd: packed.project, encoding: "utf8", timeout: 60_000 });
    expect(run(["--input-type=module", "--eval", code])).toMatchObject({ status: 0, stderr: "" });
    expect(run([outfile])).toMatchObject({ stdout: `${expected}\n` });
  } finally {
    rmSync(join(packed.project, "node_modules/ai"));
  }
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
