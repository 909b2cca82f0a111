/**
 * Gives just-bash's js-exec worker its `stripTypeScriptTypes` on every Node. Its import of `node:module` is
 * resolved to `shims/node-module.ts`, and swc's stripper is split into glue (bundled) and WebAssembly (a file
 * beside the worker, read when the first TypeScript arrives). The glue is wrapped in a function because the
 * engine has taken `WebAssembly` from the global object by then: the shim passes in the copy it kept.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { root } from "../paths.ts";

const SWC = join(root, "node_modules/@swc/wasm-typescript/wasm.js");
const EMBEDDED = /const bytes = Buffer\.from\('([A-Za-z0-9+/=]+)', 'base64'\);/;

/** Name of the file that `stripperWasm` belongs in, beside the worker that is built with `stripTypes`. */
export const STRIPPER_WASM = "typescript.wasm";

/** swc's type stripper as WebAssembly. */
export function stripperWasm(): Uint8Array {
  const [, base64] = EMBEDDED.exec(readFileSync(SWC, "utf8")) ?? [];
  if (base64 === undefined) throw new Error(`${SWC} does not hold its WebAssembly as it used to.`);
  return Buffer.from(base64, "base64");
}

export const stripTypes: Plugin = {
  name: "strip-types",
  setup(build) {
    build.onResolve({ filter: /^node:module$/ }, ({ kind, importer }) =>
      kind === "import-statement" && importer.endsWith("js-exec-worker.js")
        ? { path: join(root, "build/shims/node-module.ts") }
        : undefined,
    );
    build.onResolve({ filter: /^swc:glue$/ }, () => ({ path: SWC, namespace: "swc" }));
    build.onLoad({ filter: /.*/, namespace: "swc" }, () => ({
      contents: wrapGlue(readFileSync(SWC, "utf8")),
      resolveDir: root,
    }));
  },
};

function wrapGlue(text: string): string {
  const body = text.replace(EMBEDDED, "").replace("const { Buffer } = require('node:buffer');", "");
  if (/\bBuffer\b/.test(body) || body.length > 100_000)
    throw new Error(`${SWC} does not look as it used to.`);
  // FinalizationRegistry is blocked as well, and the glue does without: it frees what it makes by hand.
  return `export function instantiate(bytes, WebAssembly, util) {
    const FinalizationRegistry = undefined;
    const module = { exports: {} };
    const require = () => util;
    ${body}
    return module.exports;
  }`;
}
