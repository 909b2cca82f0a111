/**
 * Faults of just-bash's code that no command or file system of ours can cover, mended where they are
 * (`build/engine-faults`). Each text must be there exactly once, or the build stops.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { type EngineFault, INTERPRETER } from "../engine-faults/fault.ts";
import { faults } from "../engine-faults/index.ts";
import { root } from "../paths.ts";
import { changeText } from "./change-text.ts";
import { withoutUnusedRequire } from "./unused-require.ts";

/** `bundleDir` is just-bash's `dist/bundle`. */
export function engineFaults(bundleDir: string): Plugin {
  return {
    name: "engine-faults",
    setup(build) {
      const byFile = faultsByFile(bundleDir);
      build.onLoad({ filter: /[\\/]just-bash[\\/]dist[\\/]bundle[\\/].*\.js$/ }, ({ path }) => {
        const found = byFile.get(path);
        if (found === undefined) return undefined;
        return { contents: mended(path, found) };
      });
    },
  };
}

/** The text of the file that holds parser and interpreter, with what it imports of ours. */
export function mendedInterpreter(bundleDir: string): string {
  for (const [path, found] of faultsByFile(bundleDir))
    if (found.some(({ mark }) => mark === INTERPRETER)) return mended(path, found);
  throw new Error(`just-bash has no file with: ${INTERPRETER}`);
}

function mended(path: string, found: readonly EngineFault[]): string {
  const text = withoutUnusedRequire(readFileSync(path, "utf8"));
  const changes = found.flatMap((fault) => fault.changes);
  return importsOf(found) + changeText("just-bash", text, changes);
}

function faultsByFile(bundleDir: string): ReadonlyMap<string, readonly EngineFault[]> {
  const texts = ["", "chunks"].flatMap((folder) =>
    readdirSync(join(bundleDir, folder))
      .filter((file) => file.endsWith(".js") && file !== "browser.js")
      .map((file) => join(bundleDir, folder, file))
      .map((path) => [path, readFileSync(path, "utf8")] as const),
  );
  const marks = [...new Set(faults.map(({ mark }) => mark))];
  return new Map(
    marks.map((mark) => {
      const [file, more] = texts.filter(([, text]) => text.includes(mark));
      if (file === undefined || more !== undefined)
        throw new Error(`just-bash has ${file === undefined ? "no file" : "several files"} with: ${mark}`);
      return [file[0], faults.filter((fault) => file[1].includes(fault.mark))];
    }),
  );
}

function importsOf(found: readonly EngineFault[]): string {
  const imports = new Map(found.flatMap(({ imports = {} }) => Object.entries(imports)));
  return [...imports]
    .map(([name, file]) => `import { ${name} } from ${JSON.stringify(join(root, file))};\n`)
    .join("");
}
