/**
 * `just-bash:parser`: the engine's parser without the interpreter, mended as the worker's is, so that what one can
 * read the other can. Parser and lexer stand together in the interpreter's file: they are cut out, with the imports,
 * and a test checks that they name nothing that was left behind (test/package/classify.test.ts).
 */
import type { Plugin } from "esbuild";
import { mendedInterpreter } from "./engine-faults.ts";

/** Where the parser begins and what stands behind it. Each must be there exactly once. */
const BEGIN = "var M={script(e){";
const END = "function Ge(e,t){return new Q().parse(e,t)}";

/** `bundleDir` is just-bash's `dist/bundle`. */
export function parserOnly(bundleDir: string): Plugin {
  return {
    name: "parser-only",
    setup(build) {
      build.onResolve({ filter: /^just-bash:parser$/ }, () => ({ path: "parser", namespace: "parser-only" }));
      build.onLoad({ filter: /.*/, namespace: "parser-only" }, () => ({
        contents: parserText(mendedInterpreter(bundleDir)),
        resolveDir: bundleDir,
      }));
      // Otherwise each module that the mended text could call stays, with what it imports, for the sake of its effects.
      build.onResolve({ filter: /./ }, async ({ path, pluginData, ...options }) => {
        if (pluginData === "asked") return undefined;
        const { kind, importer, namespace, resolveDir } = options;
        const found = await build.resolve(path, {
          kind,
          importer,
          namespace,
          resolveDir,
          pluginData: "asked",
        });
        return { ...found, sideEffects: false };
      });
    },
  };
}

function parserText(text: string): string {
  const [before, rest, ...more] = text.split(BEGIN);
  const [parser, after, ...others] = (rest ?? "").split(END);
  if (before === undefined || parser === undefined || after === undefined || more.length + others.length > 0)
    throw new Error(`just-bash does not say as it used to: ${BEGIN} … ${END}`);
  // What it does not name is not looked for: the interpreter's modules import all the engine's programs.
  const names = new Set(parser.match(/[\w$]+/g));
  const imports = [...before.matchAll(/\bimport ?\{([^{}]*)\} ?from ?("[^"]*");/g)].flatMap(
    ([, list = "", from]) => {
      const used = list.split(",").filter((item) => names.has(item.trim().split(/ as /).at(-1) ?? ""));
      return used.length === 0 ? [] : [`import { ${used.join(",")} } from ${from};`];
    },
  );
  return `${imports.join("\n")}\n${BEGIN}${parser}\nexport { Q as Parser };`;
}
