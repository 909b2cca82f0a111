/**
 * `core.cjs`: all that a worker runs before its first command, as one script. As ES modules the same code was thirty
 * files, which Node.js finds, reads and links one after the other, and whose compiled form no version before 22 can
 * keep. What a script may need later stays in files of its own beside it, loaded by the core's own `require` (see
 * `src/worker/load-core.ts`), so that both share one copy of what they have in common.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build, type Metafile, type Plugin, transform } from "esbuild";
import { commonOptions } from "./esbuild-options.ts";

/** The name of the core, among the chunks of the engine: it looks for its scripts and data beside itself. */
const CORE = "core.cjs";

/** Programs that hardly a script does without. */
const MOST_USED = /^(?:echo|true)-/;

/** `import.meta` of a chunk; the core's loader hands these to each script. */
const OWN_PLACE = {
  "import.meta.url": "__url",
  "import.meta.dirname": "__dirname",
  "import.meta.filename": "__filename",
};

const { platform, target, minifyWhitespace, minifySyntax, legalComments } = commonOptions;

/**
 * Each file is one function of these: the loader runs the text as it was read. Put around it there, they would make
 * a second copy of a megabyte.
 */
const PARAMETERS = "require,module,exports,__filename,__dirname,__url";

const cjs = {
  platform,
  target,
  minifyWhitespace,
  minifySyntax,
  legalComments,
  format: "cjs",
  define: OWN_PLACE,
  // The engine's defenses block `import()` of what is built in; a chunk is no file that Node.js could import.
  supported: { "dynamic-import": false },
} as const;

const asFunction = { before: `(function(${PARAMETERS}){`, after: "})" };

/** What was bundled as ES modules into `stage`, a flat folder: two entries, and the chunks that they share. */
export interface StagedModules {
  readonly stage: string;
  /** File names below `stage`. */
  readonly worker: string;
  readonly engine: string;
  readonly metafile: Metafile;
}

/** Writes the core and the other chunks into `chunks`. */
export async function bundleCore(staged: StagedModules, chunks: string): Promise<void> {
  const imports = importsByName(staged);
  const names = [...imports.keys()];
  const core = reach(imports, [
    staged.worker,
    staged.engine,
    ...names.filter((name) => MOST_USED.test(name)),
  ]);
  const later = names.filter((name) => !core.has(name));
  mkdirSync(chunks, { recursive: true });
  const asked = new Set(later.flatMap((name) => imports.get(name) ?? []).map(({ path }) => basename(path)));
  const shared = [...asked].filter((name) => core.has(name)).sort();
  await build({
    ...cjs,
    bundle: true,
    logLevel: "error",
    // Names in the output are relative to it: two builds must not differ by where they were made.
    absWorkingDir: staged.stage,
    outfile: join(chunks, CORE),
    stdin: { contents: coreSource(staged, shared), resolveDir: staged.stage },
    banner: { js: asFunction.before },
    footer: { js: asFunction.after },
    plugins: [onlyCore(core)],
  });
  for (const name of later) {
    const text = readFileSync(join(staged.stage, name), "utf8");
    const { code } = await transform(text, { ...cjs, banner: asFunction.before, footer: asFunction.after });
    writeFileSync(join(chunks, `${basename(name, ".js")}.cjs`), code);
  }
  rmSync(staged.stage, { recursive: true, force: true });
}

type Imports = Metafile["outputs"][string]["imports"];

/** By file name: what each imports of the others. */
function importsByName({ metafile }: StagedModules): Map<string, Imports> {
  const entries = Object.entries(metafile.outputs).map(([path, { imports }]): [string, Imports] => [
    basename(path),
    imports.filter(({ external }) => external !== true),
  ]);
  return new Map(entries);
}

/** Everything that these load at once. */
function reach(imports: ReadonlyMap<string, Imports>, entries: readonly string[]): Set<string> {
  const found = new Set(entries);
  for (const name of found) {
    for (const { path, kind } of imports.get(name) ?? [])
      if (kind === "import-statement") found.add(basename(path));
  }
  return found;
}

function coreSource({ worker, engine }: StagedModules, shared: readonly string[]): string {
  return [
    `export const worker = () => require("./${worker}");`,
    `export const engine = () => require("./${engine}");`,
    `export const chunks = {\n${shared.map((name) => `"./${name}": () => require("./${name}"),`).join("\n")}\n};`,
  ].join("\n");
}

/** What is not in the core is left to the loader, under its name beside the core. */
function onlyCore(core: ReadonlySet<string>): Plugin {
  return {
    name: "only-core",
    setup(build) {
      build.onResolve({ filter: /\.js$/ }, ({ path }) =>
        core.has(basename(path)) ? undefined : { path: `./${basename(path)}`, external: true },
      );
    },
  };
}

/** The folder for the modules that become the core. */
export function stageFor(outDir: string): string {
  return join(dirname(outDir), `${basename(outDir)}-stage`);
}
