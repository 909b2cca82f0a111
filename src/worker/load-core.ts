/**
 * Loads `core.cjs`, the worker's code as one script, and later the chunks beside it that a script of a guest first
 * needs. Modules of Node.js come from `process.getBuiltinModule`: the engine's defenses block `require` and `import()`
 * while a script runs. What is used here was taken before they are there.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

type Engine = typeof import("../engine/index.ts");
type Exports = Record<string, unknown>;

/** What the core gives; nothing of it runs before it is asked for. */
export interface Core {
  worker(): typeof import("./core.ts");
  engine(): Engine;
  /** V8's compiled form of what was used so far. */
  createCodeCache(): Buffer;
}

interface CoreExports extends Pick<Core, "worker" | "engine"> {
  readonly chunks: Readonly<Record<string, () => Exports>>;
}

type Chunk = (
  require: (name: string) => unknown,
  module: { exports: Exports },
  exports: Exports,
  filename: string,
  dirname: string,
  url: string,
) => void;

const getBuiltin = process.getBuiltinModule.bind(process);

/**
 * @param entry URL of the file that loads it, in the worker's folder
 * @param codeCache what `createCodeCache` gave once; V8 does not use what is of another version or of other flags
 */
export function loadCore(entry: string, codeCache: Buffer | null = null): Core {
  const folder = new URL("./engine/bundle/chunks/", entry);
  const inCore = new Map<string, () => Exports>();
  const loaded = new Map<string, { exports: Exports }>();
  const require = (name: string): unknown => {
    if (!name.startsWith("./")) return getBuiltin(name);
    const before = inCore.get(name)?.() ?? loaded.get(name)?.exports;
    if (before !== undefined) return before;
    const module = { exports: {} };
    // Before it runs: two chunks may need each other.
    loaded.set(name, module);
    run(name.replace(/\.js$/, ".cjs"), module);
    return module.exports;
  };
  const run = (name: string, module: { exports: Exports }, cachedData?: Buffer): Script => {
    const url = new URL(name, folder);
    const filename = fileURLToPath(url);
    const script = new Script(readFileSync(filename, "latin1"), {
      filename,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    if (script.cachedDataRejected === true)
      console.error(
        "little-harness: the compiled form of the worker is of another Node.js or of other flags",
      );
    const chunk = script.runInThisContext() as Chunk;
    chunk(require, module, module.exports, filename, fileURLToPath(folder), url.href);
    return script;
  };
  const module = { exports: {} as Exports };
  const script = run("./core.cjs", module, codeCache ?? undefined);
  const { chunks, worker, engine } = module.exports as unknown as CoreExports;
  for (const [name, get] of Object.entries(chunks)) inCore.set(name, get);
  return { worker, engine, createCodeCache: () => script.createCachedData() };
}
