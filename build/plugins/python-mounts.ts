/**
 * Python sees the sandbox's directories where they are. just-bash shows the sandbox's files to CPython below
 * `/host` and redirects some functions there, so that errors, `glob`, `scandir` and open files told names with
 * `/host` in front, and functions that it forgot (`os.rename`, `os.access`, `tempfile`) looked in the interpreter's
 * own memory. Here each top directory of the sandbox is mounted at its own name, over the interpreter's; `/` alone
 * is still redirected, and its own names cannot be written. The files themselves are `shims/python-files.ts`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { root } from "../paths.ts";
import { RESULT_WAIT } from "./bridge-waits.ts";
import { changeText, type TextChange } from "./change-text.ts";
import { FILE_CALLS, FILE_CALLS_IMPORT } from "./worker-files.ts";

const FILES = JSON.stringify(join(root, "build/shims/python-files.ts"));

/** What just-bash 3.4.2 says → what it should say. */
const CHANGES: readonly TextChange[] = [
  [
    'Module.FS.mount(HOSTFS, { root: "/" }, "/host");',
    `Module.FS.mount(HOSTFS, { root: "/" }, "/host");
    for (const name of backend.readdir("/")) {
      if (["lib", "proc", "host", "_jb_http"].includes(name)) continue;
      try { Module.FS.mkdir("/" + name); } catch { /* the interpreter has one of its own */ }
      Module.FS.mount(HOSTFS, { root: "/" + name }, "/" + name);
    }`,
  ],
  ...FILE_CALLS,
  RESULT_WAIT,
  [
    `createHOSTFS(
    backend,
    Module.FS,
    Module.PATH,
    input.maxFileSize ?? 8 * 1024 * 1024
  )`,
    "createHostFiles(backend, Module.FS, Module.PATH)",
  ],
  // A script in the sandbox's own /tmp would be a file that the guest sees, and its folder a place of modules.
  ['const scriptPath = "/tmp/_jb_script.py";', 'const scriptPath = "/lib/script.py";'],
  [
    "Module.FS.writeFile(scriptPath, scriptData);",
    'Module.FS.writeFile(scriptPath, scriptData);\n  Module.FS.chmod("/", 0o555);',
  ],
  [
    `    return (isinstance(path, str) and
            path.startswith('/') and
            not path.startswith('/lib') and
            not path.startswith('/proc') and
            not path.startswith('/host') and
            not path.startswith('/_jb_http'))`,
    "    return path == '/'",
  ],
  ["        return cwd[5:]\n    return cwd", "        return cwd[5:] or '/'\n    return cwd"],
  [
    "os.chdir('/host' + ${JSON.stringify(input.cwd)})",
    "os.getcwdb = lambda: os.fsencode(os.getcwd())\nos.chdir(${JSON.stringify(input.cwd)})",
  ],
];

/** Applies the changes; throws when one of the texts is not there exactly once. */
export function mountForPython(text: string): string {
  const imports = `${FILE_CALLS_IMPORT}import { createHostFiles } from ${FILES};\n`;
  return imports + changeText("just-bash's Python worker", text, CHANGES);
}

export const pythonMounts: Plugin = {
  name: "python-mounts",
  setup(build) {
    build.onLoad({ filter: /just-bash[\\/]dist[\\/]bundle[\\/]chunks[\\/]worker\.js$/ }, ({ path }) => ({
      contents: mountForPython(readFileSync(path, "utf8")),
    }));
  },
};
