/**
 * Faults of just-bash's code for files that no command or file system of ours can cover, mended where they are.
 * Each text must be there exactly once, or the build stops.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { root } from "../paths.ts";
import { changeText, type TextChange } from "./change-text.ts";
import { withoutUnusedRequire } from "./unused-require.ts";

/** A file by a text that only it has → its changes. */
const FILES: readonly (readonly [mark: string, changes: readonly TextChange[]])[] = [
  [
    "e.state.parentHasLoopContext=o>0",
    [
      // The first line of a script says what runs it.
      [
        "let i;try{i=await e.fs.readFile(t)}catch{return",
        "let i;try{i=scriptText(await e.fs.readFile(t),t)}catch{return",
      ],
      // `<>` needs the right to write, and creates a file that is missing only then.
      [
        "async function yo(e,t,n){let r=e.fs.resolvePath(e.state.cwd,t);try{",
        'async function yo(e,t,n){let r=e.fs.resolvePath(e.state.cwd,t);if(n)await e.fs.appendFile(r,"");try{',
      ],
    ],
  ],
  [
    'name:"fgrep",async execute',
    [
      // `grep -r` stopped at 256 levels, left out hidden files and followed links, all without a word.
      ["},ge=256;", "},ge=65536;"],
      ['if(w(c),x.name.startsWith("."))continue;', "if(w(c),x.isSymbolicLink)continue;"],
    ],
  ],
];

const IMPORT = `import { scriptText } from ${JSON.stringify(join(root, "build/shims/script-text.ts"))};\n`;

export const engineFaults: Plugin = {
  name: "engine-faults",
  setup(build) {
    build.onLoad(
      { filter: /just-bash[\\/]dist[\\/]bundle[\\/](index|chunks[\\/]chunk-[A-Z0-9]+)\.js$/ },
      ({ path }) => {
        const text = readFileSync(path, "utf8");
        const changes = FILES.find(([mark]) => text.includes(mark))?.[1];
        if (changes === undefined) return undefined;
        const changed = changeText("just-bash", withoutUnusedRequire(text), changes);
        return { contents: changed.includes("scriptText(") ? IMPORT + changed : changed };
      },
    );
  },
};
