import { isBuiltin } from "node:module";
import type { BuildOptions, Metafile } from "esbuild";
import { root } from "./paths.ts";

/** Options that the worker and the library share. */
export const commonOptions = {
  bundle: true,
  platform: "node",
  target: "node20.18",
  format: "esm",
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  metafile: true,
  absWorkingDir: root,
  logLevel: "warning",
} satisfies BuildOptions;

/** Packages that the library loads if they are there, each by an `import()` in a `try`. */
export const OPTIONAL_PEERS = ["ai", "pg"];

/** Stops the build when its output would import a package at run time, or one that is optional at once. */
export function checkSelfContained({ outputs }: Metafile): void {
  for (const [output, { imports }] of Object.entries(outputs)) {
    const missing = imports.find(
      ({ path, kind, external }) =>
        external === true &&
        !isBuiltin(path) &&
        !(OPTIONAL_PEERS.includes(path) && kind === "dynamic-import"),
    );
    if (missing !== undefined) throw new Error(`${output} imports "${missing.path}" at run time.`);
  }
}
