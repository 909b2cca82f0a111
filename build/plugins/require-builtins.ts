/**
 * `require("node:fs")` in bundled CommonJS. An ES module has no `require`, and esbuild leaves a call that
 * throws; here it becomes a static import. The bundle then needs no `require` of its own, which the engine's
 * defense-in-depth would block in code that it loads while a script runs.
 */
import { isBuiltin } from "node:module";
import type { Plugin } from "esbuild";

export const requireBuiltins: Plugin = {
  name: "require-builtins",
  setup(build) {
    build.onResolve({ filter: /^[a-z_:/]+$/ }, ({ path, kind }) =>
      kind === "require-call" && isBuiltin(path) ? { path, namespace: "builtin" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => {
      const name = JSON.stringify(path.startsWith("node:") ? path : `node:${path}`);
      return { contents: `export * from ${name}; export { default } from ${name};` };
    });
  },
};
