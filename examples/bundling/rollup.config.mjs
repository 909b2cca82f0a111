import { cpSync } from "node:fs";
import nodeResolve from "@rollup/plugin-node-resolve";

const builtins = /^node:/;
const inOneFile = { inlineDynamicImports: true };
const outputs = (name) => [
  { file: `out/${name}.mjs`, format: "es", ...inOneFile },
  { file: `out/${name}.cjs`, format: "cjs", ...inOneFile },
];

export default [
  // The package stays in node_modules.
  { input: "main.mjs", external: [builtins, "@little-stack/harness"], output: outputs("external") },
  // The package goes into the bundle, and its worker beside it.
  {
    input: "main.mjs",
    // The AI SDK, for a model: with it in the bundle, Rollup needs plugins for CommonJS and JSON.
    external: [builtins, "ai"],
    output: outputs("bundled"),
    plugins: [nodeResolve(), { name: "copy-worker", writeBundle: copyWorker }],
  },
];

function copyWorker() {
  cpSync("node_modules/@little-stack/harness/dist/worker", "out/worker", { recursive: true });
}
