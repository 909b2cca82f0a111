/**
 * Files of any size and any bytes for `python3` and `js-exec`, and errors with their own numbers. just-bash carries
 * whole files through 8 MiB of shared memory, tells seven kinds of failure apart by their English, and takes what
 * `js-exec` writes for text. Here files cross in parts (`shims/file-parts.ts`), a failure crosses in Node's form
 * (`EROFS: read-only file system, open '/a'`), and `Buffer` and `fs` of `js-exec` are `shims/quickjs-files.js`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { root } from "../paths.ts";
import { RESULT_WAIT } from "./bridge-waits.ts";
import { changeText, type TextChange } from "./change-text.ts";
import { withoutUnusedRequire } from "./unused-require.ts";

const shim = (name: string): string => JSON.stringify(join(root, "build/shims", name));

/** The bridge in the worker, as minified in its chunk. */
const BRIDGE: readonly TextChange[] = [
  [
    "let e=await this.fs.readFileBuffer(t);this.protocol.setResult(e)",
    "let e=await bridgeRead(this.fs,this.protocol.getFlags(),t,this.protocol.getData());this.protocol.setResult(e)",
  ],
  ["await this.fs.writeFile(t,e)", "await bridgeWrite(this.fs,this.protocol.getFlags(),t,e)"],
  [
    "await this.fs.chmod(t,e)",
    "await bridgeChmod(this.fs,this.protocol.getFlags(),t,e,this.protocol.getData())",
  ],
  [
    "setErrorFromException(t){let e=t instanceof Error?t.message:String(t)",
    "setErrorFromException(t){let e=t instanceof Error?t.nodeText??t.message:String(t)",
  ],
];

/** What the guest's threads print is bytes. */
const OUTPUT: readonly TextChange[] = [
  ...["stdout", "stderr"].map((name): TextChange => {
    const takes = `let t=this.protocol.getDataAsString();if(!this.tryAppendOutput("${name}",t))`;
    return [takes, takes.replace("this.protocol.getDataAsString()", "heldBytes(this.protocol.getData())")];
  }),
  [
    "this.protocol.notify()}return this.output}stop()",
    "this.protocol.notify()}return resultOf(this.output)}stop()",
  ],
  // A name may hold bytes that are no UTF-8.
  ["return new TextDecoder().decode(e)}setPath(", "return escapeStrayBytes(e)}setPath("],
  [
    "let t=this.getData();return new TextDecoder().decode(t)}",
    "let t=this.getData();return escapeStrayBytes(t)}",
  ],
  [
    "setResultFromString(t){let e=new TextEncoder().encode(t);",
    "setResultFromString(t){let e=unescapeStrayBytes(t);",
  ],
  // A hard link crosses as a symbolic one, told apart by the flags.
  [
    "await this.fs.symlink(e,a)",
    "await(this.protocol.getFlags()===0?this.fs.symlink(e,a):this.fs.link(this.resolvePath(e),a))",
  ],
];

/** The calls on the guest's side: the same class in both threads. */
export const FILE_CALLS: readonly TextChange[] = [
  // A name may hold bytes that are no UTF-8.
  [
    "  setPath(path) {\n    const encoded = new TextEncoder().encode(path);",
    "  setPath(path) {\n    const encoded = unescapeStrayBytes(path);",
  ],
  ...["target", "newPath", "dest"].map(
    (name): TextChange => [
      `const ${name}Data = new TextEncoder().encode(${name});`,
      `const ${name}Data = unescapeStrayBytes(${name});`,
    ],
  ),
  ...["readlink", "realpath"].map((name): TextChange => {
    const before = `"Failed to ${name}");\n    }\n    return `;
    return [
      `${before}this.protocol.getResultAsString();`,
      `${before}escapeStrayBytes(this.protocol.getResult());`,
    ];
  }),
  [
    `  readFile(path) {
    const result = this.execSync(OpCode.READ_FILE, path);
    if (!result.success) {
      throw new Error(result.error || "Failed to read file");
    }
    return result.result ?? new Uint8Array(0);
  }`,
    `  filePart(part, path, numbers, bytes) {
    return filePart(this, part, path, numbers, bytes);
  }
  link(existing, path) {
    const { success, error } = this.execSync(OpCode.SYMLINK, path, unescapeStrayBytes(existing), 1);
    if (!success) throw new Error(error);
  }
  readFile(path) {
    return readWhole(this, path);
  }`,
  ],
  [
    `    const result = this.execSync(OpCode.WRITE_FILE, path, data);
    if (!result.success) {
      throw new Error(result.error || "Failed to write file");
    }`,
    "    writeWhole(this, path, data);",
  ],
  [
    `    const result = this.execSync(OpCode.APPEND_FILE, path, data);
    if (!result.success) {
      throw new Error(result.error || "Failed to append file");
    }`,
    "    writeWhole(this, path, data, true);",
  ],
];

const STRAY_BYTES = `import { escapeStrayBytes, unescapeStrayBytes } from ${JSON.stringify(join(root, "src/workspace/stray-bytes.ts"))};\n`;
export const FILE_CALLS_IMPORT = `${STRAY_BYTES}import { filePart, readWhole, writeWhole } from ${shim("file-calls.ts")};\n`;

const JAVASCRIPT: readonly TextChange[] = [
  // Over what a script of some megabytes left behind QuickJS aborts, after all of it ran: that is no failure of it.
  [
    "    context?.dispose();\n    runtime?.dispose();",
    "    try { context?.dispose(); runtime?.dispose(); } catch {}",
  ],
  ...FILE_CALLS,
  RESULT_WAIT,
  ["  return { error: context.newError(message) };", "  return { error: newError(context, message) };"],
  ...["writeFile", "appendFile"].map(
    (name): TextChange => [
      `      const data = context.getString(dataHandle);
      try {
        backend.${name}(path, new TextEncoder().encode(data));`,
      `      try {
        backend.${name}(path, bytesOf(context, dataHandle));`,
    ],
  ),
  [
    "        return jsToHandle(context, entries);",
    "        return jsToHandle(context, entries.map(fromName));",
  ],
  ["        return context.newString(target);", "        return context.newString(fromName(target));"],
  ["        return context.newString(resolved);", "        return context.newString(fromName(resolved));"],
  [
    "Object.defineProperty(globalThis, 'eval', {\n            value: undefined,",
    "Object.defineProperty(globalThis, 'eval', {\n            value: () => { throw new TypeError('eval is not allowed'); },",
  ],
  [
    "    return new TextDecoder().decode(result.result);",
    "    return asciiText(result.result) ?? new TextDecoder().decode(result.result);",
  ],
  // Where in the script it happened, and not where in the set-up that the script called.
  ['if (trimmed.startsWith("at ")) {', 'if (trimmed.startsWith("at ") && !trimmed.includes("<compat>")) {'],
  [
    "        return context.newString(new TextDecoder().decode(data));",
    "        return newText(context, data);",
  ],
  [
    '  context.setProp(fsObj, "chmod", chmodFn);',
    `  for (const [name, part] of [["resize", 3], ["times", 4]]) {
    const fn = context.newFunction(name, (pathHandle, ...numbers) => {
      try {
        backend.filePart(part, context.getString(pathHandle), numbers.map((handle) => context.getNumber(handle)));
        return context.undefined;
      } catch (e) {
        return throwError(context, e.message);
      }
    });
    context.setProp(fsObj, name, fn);
    fn.dispose();
  }
  context.setProp(fsObj, "chmod", chmodFn);`,
  ],
  [
    "'chmod', 'realpath', 'rename', 'copyFile'\n  ];\n  for (var i = 0; i < allNames",
    "'chmod', 'realpath', 'rename', 'copyFile', 'resize', 'times'\n  ];\n  for (var i = 0; i < allNames",
  ],
  // `fs`, `Buffer`, `console`, timers, modules: what just-bash sets up is there before them.
  [
    "  globalThis.require.resolve = function(name) { return name; };\n",
    "  globalThis.require.resolve = function(name) { return name; };\n  {\n${NODE_SOURCE}\n  }\n",
  ],
  [
    "  const compatResult = context.evalCode(",
    "  installHost(context, backend, input, stripTypeScriptTypes);\n  const compatResult = context.evalCode(",
  ],
  [
    "    compatResult.error.dispose();",
    "    throw new Error(`the set-up failed: ${JSON.stringify(context.dump(compatResult.error))}`);",
  ],
  ["    if (input.isModule) {\n      runtime.setModuleLoader(", "    {\n      runtime.setModuleLoader("],
  [
    `          if (Object.hasOwn(VIRTUAL_MODULES, moduleName)) {
            return VIRTUAL_MODULES[moduleName];
          }`,
    `          const own = moduleSource(context, backend, moduleName, stripTypeScriptTypes);
          if (own !== undefined) return own;
          if (Object.hasOwn(VIRTUAL_MODULES, moduleName)) return VIRTUAL_MODULES[moduleName];`,
  ],
  ["  quickjsLoading = getQuickJS();", "  quickjsLoading = getQuickJS().then(withFastText);"],
  // What follows in that function is never reached.
  [
    '    const filename = input.scriptPath || "<eval>";',
    "    return await runScript({ context, runtime, backend, input, strip: stripTypeScriptTypes });\n    let filename;",
  ],
  ['const argv = [input.scriptPath || "js-exec", ...input.args];', "const argv = argumentsOf(input);"],
];

/** SQLite's thread: the command line runs where the database is. */
const SQLITE: readonly TextChange[] = [
  [
    "  const results = [];\n  let hasModifications = false;",
    `  const results = [];
  let hasModifications = false;
  {
    const shell = new SqliteShell(db, JSON.parse(data.sql));
    results.push(shell.run());
    hasModifications = shell.hasModifications;
    data.sql = "";
  }`,
  ],
];

/** Makes the changes in the worker's bridge; `bundleDir` is just-bash's `dist/bundle`. */
export const workerFiles: Plugin = {
  name: "worker-files",
  setup(build) {
    build.onLoad(
      { filter: /just-bash[\\/]dist[\\/]bundle[\\/]chunks[\\/]chunk-[A-Z0-9]+\.js$/ },
      ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (!text.includes("async handleReadFile(")) return undefined;
        const imports = `${STRAY_BYTES}import { bridgeRead, bridgeWrite, bridgeChmod } from ${shim("bridge-files.ts")};
import { heldBytes, resultOf } from ${shim("bridge-output.ts")};\n`;
        const changes = [...BRIDGE, ...OUTPUT];
        return { contents: imports + changeText("just-bash's bridge", withoutUnusedRequire(text), changes) };
      },
    );
    build.onLoad(
      { filter: /just-bash[\\/]dist[\\/]bundle[\\/]chunks[\\/]sqlite3-worker\.js$/ },
      ({ path }) => {
        const imports = `import { SqliteShell } from ${shim("sqlite-shell.ts")};\n`;
        const changed = changeText("just-bash's SQLite worker", readFileSync(path, "utf8"), SQLITE);
        return { contents: imports + changed };
      },
    );
    build.onLoad(
      { filter: /just-bash[\\/]dist[\\/]bundle[\\/]chunks[\\/]js-exec-worker\.js$/ },
      ({ path }) => {
        const source = ["files", "inspect", "node"]
          .map((name) => readFileSync(join(root, `build/shims/quickjs-${name}.js`), "utf8"))
          .join("\n");
        const imports = `${FILE_CALLS_IMPORT}import { bytesOf, fromName, newError, newText, toName } from ${shim("quickjs-values.ts")};
import { argumentsOf, installHost, moduleSource, runScript } from ${shim("quickjs-run.ts")};
import { withFastText } from ${shim("quickjs-text.ts")};
import { asciiText } from ${JSON.stringify(join(root, "src/shared/ascii-text.ts"))};
const NODE_SOURCE = ${JSON.stringify(source)};\n`;
        const changed = changeText("just-bash's JavaScript worker", readFileSync(path, "utf8"), JAVASCRIPT);
        // Every path that a script hands over.
        const named = changed.replace(
          /context\.getString\((?:path|target|old|new|src|dest)Handle\)/g,
          (call) => `toName(${call})`,
        );
        if (named === changed)
          throw new Error("just-bash's JavaScript worker takes its paths in another way");
        return { contents: imports + named };
      },
    );
  },
};
