import { cpSync } from "node:fs";
import { resolve } from "node:path";

const path = resolve("out");
const common = { mode: "production", target: "node20.18", optimization: { minimize: false } };
const esm = {
  ...common,
  experiments: { outputModule: true },
  // `import.meta.url` stays what it says. Else it is the path of the machine that bundles.
  module: { parser: { javascript: { importMeta: false } } },
  output: { path, filename: "[name].mjs", chunkFilename: "[name].chunk.mjs", module: true },
};
const cjs = { ...common, output: { path, filename: "[name].cjs", chunkFilename: "[name].chunk.cjs" } };

// The package stays in node_modules.
const external = { entry: { external: "./main.mjs" }, externals: ["@little-stack/harness"] };
// The package goes into the bundle, and its worker beside it.
const bundled = {
  entry: { bundled: "./main.mjs" },
  plugins: [{ apply: copyWorker }],
  // The AI SDK is optional: without it webpack warns, and only `generateHarness` and `streamHarness` need it.
  ignoreWarnings: [{ module: /little-stack/, message: /Can't resolve 'ai'/ }],
};

export default [
  { ...esm, ...external, externalsType: "module" },
  // With `import()`, also in CommonJS: the package is ESM.
  { ...cjs, ...external, externalsType: "import" },
  { ...esm, ...bundled },
  { ...cjs, ...bundled },
];

function copyWorker(compiler) {
  compiler.hooks.done.tap("copy-worker", () => {
    cpSync("node_modules/@little-stack/harness/dist/worker", "out/worker", { recursive: true });
  });
}
