import { cpSync } from "node:fs";
import { build } from "esbuild";

const common = { bundle: true, platform: "node", target: "node20.18", outdir: "out" };
const esm = { ...common, format: "esm", outExtension: { ".js": ".mjs" } };
const cjs = { ...common, format: "cjs", outExtension: { ".js": ".cjs" } };

for (const options of [esm, cjs]) {
  // The package stays in node_modules.
  await build({ ...options, entryPoints: { external: "main.mjs" }, external: ["@little-stack/harness"] });
  // The package goes into the bundle.
  await build({ ...options, entryPoints: { bundled: "main.mjs" } });
}
// Its worker goes beside the bundle.
cpSync("node_modules/@little-stack/harness/dist/worker", "out/worker", { recursive: true });
