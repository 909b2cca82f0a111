/**
 * The thread of `python3` runs CPython itself over the sandbox's files (`shims/python-run.ts`), and not a frame
 * around the script with the sandbox below `/host`. Modules of ours in Python (`shims/python/*.py`) lie in the
 * interpreter's library.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Plugin } from "esbuild";
import { root } from "../paths.ts";
import { RESULT_WAIT } from "./bridge-waits.ts";
import { changeText, type TextChange } from "./change-text.ts";
import { FILE_CALLS, FILE_CALLS_IMPORT } from "./worker-files.ts";

const RUN = JSON.stringify(join(root, "build/shims/python-run.ts"));
const MODULES = join(root, "build/shims/python");

/** What just-bash 3.4.2 says → what it should say. */
const CHANGES: readonly TextChange[] = [
  ...FILE_CALLS,
  RESULT_WAIT,
  // What follows in that function is never reached, and left out of the bundle with all that it alone uses.
  [
    "  const backend = new SyncBackend(input.sharedBuffer, input.timeoutMs);",
    `  return runCpython(input, new SyncBackend(input.sharedBuffer, input.timeoutMs), {
    create: require2(cpythonEntryPath),
    library: cachedStdlibZip,
    binary: () => readFileSync(cpythonDir + "/python.wasm"),
    post: (message) => parentPort.postMessage(message),
    defend: activateDefense,
    createHttp: createHTTPFS,
  });
  let backend;`,
  ],
];

/** Applies the changes; throws when one of the texts is not there exactly once. */
export function mountForPython(text: string): string {
  const imports = `${FILE_CALLS_IMPORT}import { runCpython } from ${RUN};\n`;
  return imports + changeText("just-bash's Python worker", text, CHANGES);
}

/** Name of each module of ours → its source. */
function pythonModules(): Record<string, string> {
  const files = readdirSync(MODULES).filter((file) => file.endsWith(".py"));
  return Object.fromEntries(
    files.sort().map((file) => [basename(file, ".py"), readFileSync(join(MODULES, file), "utf8")]),
  );
}

export const pythonMounts: Plugin = {
  name: "python-mounts",
  setup(build) {
    build.initialOptions.define = {
      ...build.initialOptions.define,
      PYTHON_MODULES: JSON.stringify(pythonModules()),
    };
    build.onLoad({ filter: /just-bash[\\/]dist[\\/]bundle[\\/]chunks[\\/]worker\.js$/ }, ({ path }) => ({
      contents: mountForPython(readFileSync(path, "utf8")),
    }));
  },
};
