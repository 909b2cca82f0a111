/**
 * Each of just-bash's 190 files makes itself a `require` at its top, and hardly one uses it. esbuild keeps the
 * call, as it cannot know that it has no effect; here it is left out where the name does not occur again. So
 * there is no `node:module` to load at start, and none for the engine's defense-in-depth to block in a command
 * that a script loads.
 */
import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

const PREAMBLE =
  /^import ?\{createRequire\} ?from ?"node:module";const require=createRequire\(import\.meta\.url\);\n/;

/** The text without its own `require`, where that is not used. */
export function withoutUnusedRequire(text: string): string {
  const rest = text.replace(PREAMBLE, "");
  return /\brequire\b/.test(rest) ? text : rest;
}

export const unusedRequire: Plugin = {
  name: "unused-require",
  setup(build) {
    build.onLoad({ filter: /[\\/]just-bash[\\/]dist[\\/]bundle[\\/].*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const rest = withoutUnusedRequire(text);
      return rest === text ? undefined : { contents: rest };
    });
  },
};
