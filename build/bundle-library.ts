/**
 * The library and the command line: one bundle with execa, msgpackr and the rest inside, so that the package
 * has no dependencies. Everything lies flat in `dist/`: the code looks for `./worker/main.js` and
 * `./worker/engine.js` beside its own URL, from whichever chunk it ends up in.
 */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Metafile } from "esbuild";
import { checkSelfContained, commonOptions, OPTIONAL_PEERS } from "./esbuild-options.ts";
import { root } from "./paths.ts";
import { requireBuiltins } from "./plugins/require-builtins.ts";

/** Name in `dist/` without `.js` → source. One line per entry of `exports` and `bin` in package.json. */
export const LIBRARY_ENTRIES: Readonly<Record<string, string>> = {
  index: "src/index.ts",
  host: "src/host.ts",
  sandbox: "src/sandbox.ts",
  "remote-session": "src/remote-session.ts",
  conformance: "src/conformance.ts",
  cli: "src/cli/main.ts",
};

/** Writes the library into `outDir` and returns what went into it. */
export async function bundleLibrary(outDir: string, buildId: string): Promise<Metafile[]> {
  const entries = Object.entries(LIBRARY_ENTRIES);
  const present = entries.filter(([, source]) => existsSync(join(root, source)));
  for (const [name, source] of entries) {
    if (!existsSync(join(root, source))) console.error(`skipped dist/${name}.js: no ${source}`);
  }
  if (present.length === 0) return [];
  const { metafile } = await build({
    ...commonOptions,
    // Read by people who review it, and a few kilobytes either way.
    minifyWhitespace: false,
    minifySyntax: false,
    entryPoints: Object.fromEntries(present),
    outdir: outDir,
    splitting: true,
    external: OPTIONAL_PEERS,
    chunkNames: "chunk-[hash]",
    // No word for `__filename`: what bundles the library in turn may have one, and src/parent/find-worker.ts asks.
    define: { __BUILD_ID__: JSON.stringify(buildId) },
    plugins: [requireBuiltins],
  });
  checkSelfContained(metafile);
  const cli = join(outDir, "cli.js");
  if (existsSync(cli)) makeExecutable(cli);
  return [metafile];
}

function makeExecutable(file: string): void {
  const text = readFileSync(file, "utf8");
  if (!text.startsWith("#!")) writeFileSync(file, `#!/usr/bin/env node\n${text}`);
  chmodSync(file, 0o755);
}
