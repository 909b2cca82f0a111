/**
 * `dist/worker/`: the worker with just-bash, its own worker scripts, WebAssembly and Python inside. The folder
 * runs from anywhere with nothing beside it.
 *
 * just-bash finds its scripts and data relative to the chunk that asks, so the layout is part of its contract:
 *   engine/bundle/chunks/*.cjs                its code; every chunk lies here
 *   engine/bundle/chunks/js-exec-worker.js    beside it, with emscripten-module.wasm (QuickJS) and typescript.wasm
 *   engine/bundle/chunks/sqlite3-worker.js    with sql-wasm.wasm
 *   engine/bundle/chunks/worker.js            Python's; looks for ../../../vendor/cpython-emscripten/
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { bundleCore, stageFor } from "./bundle-core.ts";
import { checkSelfContained, commonOptions } from "./esbuild-options.ts";
import { root } from "./paths.ts";
import { engineFaults } from "./plugins/engine-faults.ts";
import { jqOutput } from "./plugins/jq-output.ts";
import { justBashErrors } from "./plugins/just-bash-errors.ts";
import { noNativeCodecs } from "./plugins/native-codecs.ts";
import { parserOnly } from "./plugins/parser-only.ts";
import { pythonMounts } from "./plugins/python-mounts.ts";
import { requireBuiltins } from "./plugins/require-builtins.ts";
import { STRIPPER_WASM, stripperWasm, stripTypes } from "./plugins/strip-types.ts";
import { unusedRequire } from "./plugins/unused-require.ts";
import { workerFiles } from "./plugins/worker-files.ts";

/** For bundled CommonJS: sql.js looks for its WebAssembly beside the file that it runs from. */
const OWN_FILE = { __dirname: "import.meta.dirname", __filename: "import.meta.filename" };

const modules = join(root, "node_modules");
const justBash = join(modules, "just-bash");
const CHUNKS = "engine/bundle/chunks";
const CLASSIFIER = "classify.cjs";
const PYTHON = "vendor/cpython-emscripten";

/** Name in `dist/worker/` without `.js` → source. */
const ENTRIES: Record<string, string> = {
  main: "src/worker/main.ts",
  engine: "src/worker/engine-entry.ts",
  lifeline: "src/worker/lifeline.ts",
  "make-code-cache": "src/worker/make-code-cache.ts",
};

/** What the core is made of. */
const CORE_ENTRIES = { worker: "src/worker/core.ts", engine: "src/engine/index.ts" };

/** just-bash's worker scripts and the files that each looks for beside itself. */
const SCRIPTS: Record<string, string[]> = {
  "js-exec-worker.js": ["@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm"],
  "sqlite3-worker.js": ["sql.js/dist/sql-wasm.wasm"],
  "worker.js": [],
};

/** Writes the worker into `outDir` and returns what went into it. */
export async function bundleWorker(outDir: string, buildId: string): Promise<Metafile[]> {
  const chunks = join(outDir, CHUNKS);
  const metafiles = [
    await bundleEntries(outDir, buildId),
    await bundleCoreChunks(outDir, buildId),
    await bundleLockdown(outDir),
    await bundleClassifier(outDir),
  ];
  for (const script of Object.keys(SCRIPTS)) metafiles.push(await bundleScript(script, chunks));
  for (const file of Object.values(SCRIPTS).flat()) copyInto(chunks, join(modules, file));
  writeFileSync(join(chunks, STRIPPER_WASM), stripperWasm());
  for (const file of readdirSync(join(justBash, PYTHON)))
    copyInto(join(outDir, PYTHON), join(justBash, PYTHON, file));
  // Without it the nearest package.json above the copied folder would decide what `.js` means.
  writeFileSync(join(outDir, "package.json"), `${JSON.stringify({ type: "module" })}\n`);
  writeFileSync(join(outDir, "build-id.json"), `${JSON.stringify({ buildId })}\n`);
  checkLayout(outDir);
  for (const metafile of metafiles) checkSelfContained(metafile);
  return metafiles;
}

/** Small: they take what must be taken before anything else is loaded, and load the core. */
async function bundleEntries(outDir: string, buildId: string): Promise<Metafile> {
  const { metafile } = await build({
    ...commonOptions,
    entryPoints: ENTRIES,
    outdir: outDir,
    define: { __BUILD_ID__: JSON.stringify(buildId) },
  });
  return metafile;
}

async function bundleCoreChunks(outDir: string, buildId: string): Promise<Metafile> {
  const stage = stageFor(outDir);
  const { metafile } = await build({
    ...commonOptions,
    entryPoints: CORE_ENTRIES,
    outdir: stage,
    splitting: true,
    chunkNames: "[name]-[hash]",
    define: { ...OWN_FILE, __BUILD_ID__: JSON.stringify(buildId) },
    plugins: [
      justBashErrors(join(justBash, "dist/bundle")),
      noNativeCodecs,
      workerFiles,
      engineFaults(join(justBash, "dist/bundle")),
      unusedRequire,
      jqOutput,
      requireBuiltins,
    ],
  });
  await bundleCore({ stage, worker: "worker.js", engine: "engine.js", metafile }, join(outDir, CHUNKS));
  return metafile;
}

/** One file of its own: every thread reads it before anything else. */
async function bundleLockdown(outDir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...commonOptions,
    entryPoints: [join(root, "src/worker/lockdown.ts")],
    outfile: join(outDir, "lockdown.js"),
  });
  return metafile;
}

/** Joins the parser, which is the engine's, and what reads its result, which is the parent's: neither may load the other. */
const CLASSIFIER_SOURCE = `
  import * as parser from "./src/engine/parse-script.ts";
  import { classifyParsed } from "./src/tiers/classify-parsed.ts";
  export const classify = (script) => classifyParsed(script, parser);`;

/**
 * What `classifyCommand` loads at its first call, kept out of the library for all who never call it. CommonJS, as the
 * call is synchronous and Node.js 20 loads ES modules in no such way. The worker has no use for it.
 */
export async function bundleClassifier(outDir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...commonOptions,
    format: "cjs",
    stdin: { contents: CLASSIFIER_SOURCE, resolveDir: root },
    outfile: join(outDir, CLASSIFIER),
    plugins: [parserOnly(join(justBash, "dist/bundle")), unusedRequire],
  });
  return metafile;
}

/**
 * What the scripts show a guest as the program's own name (`$_`, `sys.executable`) comes from `process.argv`,
 * which would tell where on the host the package lies.
 */
const NEUTRAL_ARGV = 'process.argv.splice(0, 2, "/usr/bin/python3", "/usr/bin/python3");';

async function bundleScript(script: string, chunks: string): Promise<Metafile> {
  const { metafile } = await build({
    ...commonOptions,
    entryPoints: [join(justBash, "dist/bundle/chunks", script)],
    define: OWN_FILE,
    outfile: join(chunks, script),
    banner: { js: NEUTRAL_ARGV },
    plugins: [stripTypes, pythonMounts, workerFiles, onlyReleaseQuickjs, requireBuiltins],
  });
  return metafile;
}

/** quickjs-emscripten names four builds of QuickJS; the engine uses one, and the others would be half its size. */
const onlyReleaseQuickjs: Plugin = {
  name: "only-release-quickjs",
  setup(build) {
    build.onResolve({ filter: /^@jitl\/quickjs-wasmfile-(?:debug-|release-asyncify)/ }, ({ path }) => ({
      path,
      namespace: "unused",
    }));
    build.onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "export default undefined;" }));
  },
};

function copyInto(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true });
  copyFileSync(file, join(folder, basename(file)));
}

/** A chunk that asks for a neighbour from elsewhere fails only when a script first needs it: checked here. */
function checkLayout(outDir: string): void {
  const files = readdirSync(outDir, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.c?js$/.test(file),
  );
  for (const file of files) {
    const text = readFileSync(join(outDir, file), "utf8");
    const asks = Object.keys(SCRIPTS).filter(
      (script) => text.includes(`"./${script}"`) || text.includes(`,"${script}")`),
    );
    if (asks.length > 0 && dirname(file).replaceAll("\\", "/") !== CHUNKS) {
      throw new Error(`${file} looks for ${asks.join(", ")} beside itself, but they are in ${CHUNKS}/.`);
    }
  }
}
