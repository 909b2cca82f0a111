/**
 * `just-bash:errors`: the interpreter's own error classes that its entry file does not export. The chunk that
 * defines them is found by content, so a new release either still works or stops the build with a reason.
 * The import resolves to that very chunk, hence to the instance that the bundled interpreter throws.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";

const NAMES = ["BadSubstitutionError", "ExitError"];

/** Makes `import { BadSubstitutionError } from "just-bash:errors"` work; `bundleDir` is just-bash's `dist/bundle`. */
export function justBashErrors(bundleDir: string): Plugin {
  return {
    name: "just-bash-errors",
    setup(build) {
      build.onResolve({ filter: /^just-bash:errors$/ }, () => ({ path: "errors", namespace: "just-bash" }));
      build.onLoad({ filter: /^errors$/, namespace: "just-bash" }, () => ({
        contents: NAMES.map((name) => reExport(bundleDir, name)).join("\n"),
        resolveDir: bundleDir,
      }));
    },
  };
}

function reExport(bundleDir: string, name: string): string {
  const chunks = join(bundleDir, "chunks");
  const found = readdirSync(chunks).filter(
    (file) =>
      file.startsWith("chunk-") && readFileSync(join(chunks, file), "utf8").includes(`name="${name}"`),
  );
  const [file] = found;
  if (file === undefined || found.length > 1) {
    throw new Error(
      `${name} is defined in ${found.length} chunks of just-bash (${found.join(", ")}); expected one.`,
    );
  }
  const text = readFileSync(join(chunks, file), "utf8");
  const local = only(
    text,
    new RegExp(`([\\w$]+)=class(?: [\\w$]+)? extends [\\w$]+\\{[^{}()]*name="${name}"`, "g"),
    file,
  );
  const escaped = local.replaceAll("$", "\\$");
  const alias = only(text, new RegExp(`export\\{(?:[^}]*,)?${escaped} as ([\\w$]+)[,}]`, "g"), file);
  return `export { ${alias} as ${name} } from ${JSON.stringify(`./chunks/${file}`)};`;
}

function only(text: string, pattern: RegExp, file: string): string {
  const matches = [...text.matchAll(pattern)].map((match) => match[1]);
  const [match] = matches;
  if (match === undefined || matches.length > 1) {
    throw new Error(`${matches.length} matches of ${pattern} in just-bash's ${file}; expected one.`);
  }
  return match;
}
