/**
 * Runs a script of `js-exec` as Node would: as a module or as CommonJS, with a loop that turns until no timer and no
 * job is left. just-bash ran the pending jobs once: no timer existed, a promise that nothing settles waited for the
 * deadline, `process.exit` in an async function hung, and a failed `main()` ended with 0.
 *
 * Longer than most files because the loop, the modules and the answers share one context.
 * Runs in the thread of `js-exec`; `quickjs-node.js` is its other half, inside QuickJS.
 */
import { createHash, createHmac, randomBytes } from "node:crypto";
import zlib from "node:zlib";
import { OutputPieces } from "./output-pieces.ts";
import { intlAnswer } from "./quickjs-intl.ts";
import { bytesOf, toName } from "./quickjs-values.ts";

interface Handle {
  dispose(): void;
}
type Outcome = { readonly value: Handle; readonly error?: undefined } | { readonly error: Handle };

interface Context {
  typeof(handle: Handle): string;
  newError(message: string): Handle;
  readonly undefined: Handle;
  readonly true: Handle;
  readonly false: Handle;
  readonly global: Handle;
  evalCode(code: string, file: string, options?: { type?: "module"; compileOnly?: boolean }): Outcome;
  callFunction(call: Handle, self: Handle, ...args: Handle[]): Outcome;
  newFunction(name: string, call: (...args: Handle[]) => Handle | { error: Handle }): Handle;
  newObject(): Handle;
  newString(text: string): Handle;
  newNumber(value: number): Handle;
  newArrayBuffer(bytes: ArrayBufferLike): Handle;
  setProp(object: Handle, name: string, value: Handle): void;
  getProp(object: Handle, name: string): Handle;
  getString(handle: Handle): string;
  getNumber(handle: Handle): number;
  getArrayBuffer(handle: Handle): { consume<T>(use: (lifetime: { readonly value: Uint8Array }) => T): T };
  getPromiseState(
    handle: Handle,
  ):
    | { type: "pending" }
    | { type: "fulfilled"; value: Handle; notAPromise?: boolean }
    | { type: "rejected"; error: Handle };
  dump(handle: Handle): unknown;
}

interface Runtime {
  executePendingJobs(): { readonly value?: number; readonly error?: Handle };
  setInterruptHandler(handler: () => boolean): void;
}

interface Backend {
  execSync(
    operation: number,
    path: string,
    data: Uint8Array,
    flags?: number,
  ): { readonly success: boolean; readonly error?: string };
  readFile(path: string): Uint8Array;
  exists(path: string): boolean;
  link(existing: string, path: string): void;
  exit(status: number): void;
}

interface Input {
  readonly jsCode: string;
  readonly cwd: string;
  readonly scriptPath?: string;
  readonly stripTypes?: boolean;
  /** One character for each byte. */
  readonly stdin?: string;
}

/** One run of one script. */
interface Run {
  readonly context: Context;
  readonly runtime: Runtime;
  readonly backend: Backend;
  readonly input: Input;
  readonly strip: (source: string) => string;
}

/** What the calls of a script share; set up by `installHost`, one script at a time. */
interface State {
  exited: number | null;
  readonly output: OutputPieces;
}

const { wait } = Atomics;
const now = performance.now.bind(performance);
const cell = new Int32Array(new SharedArrayBuffer(4));
const UNSETTLED = 13;
let state: State | undefined;

/** The native calls behind `quickjs-node.js`, as `__host`. */
export function installHost(context: Context, backend: Backend, input: Input, strip: Run["strip"]): void {
  const output = new OutputPieces(backend);
  const own: State = { exited: null, output };
  state = own;
  const host = context.newObject();
  const mainFile = mainFileOf(input);
  const define = (name: string, call: (...args: Handle[]) => Handle | { error: Handle }): void => {
    const handle = context.newFunction(name, (...args) => {
      if (own.exited !== null) return { error: context.newError("process.exit()") };
      try {
        return call(...args);
      } catch (error) {
        return { error: context.newError(error instanceof Error ? error.message : String(error)) };
      }
    });
    context.setProp(host, name, handle);
    handle.dispose();
  };
  const bytes = (handle: Handle): Uint8Array =>
    context.getArrayBuffer(handle).consume(({ value }) => value.slice());
  const give = (made: Uint8Array): Handle => context.newArrayBuffer(Uint8Array.from(made).buffer);
  define("write", (descriptor, data) => {
    output.write(
      context.getNumber(descriptor as Handle) === 2 ? "stderr" : "stdout",
      bytesOf(context, data as Handle),
    );
    return context.undefined;
  });
  define("stdin", () => give(Buffer.from(input.stdin ?? "", "latin1")));
  define("now", () => context.newNumber(now()));
  define("random", (size) => give(randomBytes(context.getNumber(size as Handle))));
  define("hash", (kind, algorithm, key, data) => {
    const name = context.getString(algorithm as Handle);
    const hash =
      context.getString(kind as Handle) === "hmac"
        ? createHmac(name, bytes(key as Handle))
        : createHash(name);
    return give(hash.update(bytes(data as Handle)).digest());
  });
  define("zlib", (name, data) => {
    const call = zlib[`${context.getString(name as Handle)}Sync` as "gzipSync"];
    return give(call(bytes(data as Handle)));
  });
  define("intl", (question) => context.newString(intlAnswer(context.getString(question as Handle))));
  define("link", (existing, path) => {
    backend.link(toName(context.getString(existing as Handle)), toName(context.getString(path as Handle)));
    return context.undefined;
  });
  define("mainFile", () => context.newString(mainFile));
  define("isFile", () => (isFile(input) ? context.true : context.false));
  define("compile", (path) => {
    const file = context.getString(path as Handle);
    const outcome = context.evalCode(wrapped(readSource(backend, file, strip)), file);
    return outcome.error === undefined ? outcome.value : { error: outcome.error };
  });
  const exit = context.newFunction("exit", (code) => {
    own.exited ??= context.getNumber(code as Handle);
    return { error: context.newError("process.exit()") };
  });
  context.setProp(host, "exit", exit);
  exit.dispose();
  context.setProp(context.global, "__host", host);
  host.dispose();
}

/** `process.argv`: the program, the script unless it came with `-c`, and what is the script's. */
export function argumentsOf(input: Input & { readonly args: readonly string[] }): string[] {
  return ["/usr/bin/js-exec", ...(isFile(input) ? [mainFileOf(input)] : []), ...input.args];
}

/** The source of what `import` names; `undefined` when there is no such module. */
export function moduleSource(
  context: Context,
  backend: Backend,
  name: string,
  strip: Run["strip"],
): string | undefined {
  const names = ask(context, "names", context.newString(name));
  const builtin =
    typeof names === "string" ? `globalThis[Symbol.for("jb:run")].modules[${JSON.stringify(name)}]` : null;
  if (builtin !== null) return reexport(builtin, String(names));
  const file = ["", ".js", ".mjs", ".ts", ".json", "/index.js", "/index.ts"]
    .map((end) => name + end)
    .find((path) => path.startsWith("/") && backend.exists(path) && isReadable(backend, path));
  if (file === undefined) return undefined;
  const source = readSource(backend, file, strip);
  if (file.endsWith(".json")) return `export default JSON.parse(${JSON.stringify(source)});`;
  if (/^\s*(?:import|export)\b|\bimport\.meta\b|^\s*await\b/m.test(source)) return withMeta(source, file);
  const common = ask(context, "commonNames", context.newString(file));
  return reexport(`globalThis.require(${JSON.stringify(file)})`, typeof common === "string" ? common : "");
}

/** Runs the script to its end and tells the bridge the status. */
export async function runScript(run: Run): Promise<{ success: true }> {
  const { runtime, backend } = run;
  const own = state as State;
  runtime.setInterruptHandler(() => own.exited !== null);
  let status: number;
  try {
    status = turnUntilDone(run, own);
  } finally {
    own.output.flush();
  }
  backend.exit((own.exited ?? status) & 0xff);
  return { success: true };
}

function turnUntilDone(run: Run, own: State): number {
  const { context, runtime, backend, input } = run;
  const fail = (error: Handle, kind = "uncaughtException"): number | null => {
    if (own.exited !== null) {
      error.dispose();
      return own.exited;
    }
    const text = ask(context, "uncaught", error, context.newString(kind));
    if (own.exited !== null) return own.exited;
    if (text === "") return null;
    const said = typeof text === "string" ? text : "Error";
    own.output.write("stderr", Buffer.from(`${placeOf(said, backend, input)}${said}\n`));
    return 1;
  };
  const { outcome, isModule } = start(run);
  let ended: number | null = null;
  let result = outcome.error === undefined ? outcome.value : null;
  const forget = (): void => {
    result?.dispose();
    result = null;
  };
  if (outcome.error !== undefined) ended = fail(outcome.error);
  while (ended === null) {
    if (own.exited !== null) break;
    const jobs = runtime.executePendingJobs();
    if (jobs.error !== undefined) {
      ended = fail(jobs.error);
      continue;
    }
    if (result !== null) {
      const settled = context.getPromiseState(result);
      if (settled.type === "fulfilled") {
        if (settled.notAPromise !== true) settled.value.dispose();
        forget();
      } else if (settled.type === "rejected") {
        forget();
        ended = fail(settled.error, "unhandledRejection");
        continue;
      }
    }
    const turn = callDriver(context, "turn");
    if (turn.error !== undefined) {
      ended = fail(turn.error);
      continue;
    }
    const waitMs = context.getNumber(turn.value);
    turn.value.dispose();
    if (waitMs > 0) {
      own.output.flush();
      wait(cell, 0, 0, waitMs);
    } else if (waitMs < 0 && ask(context, "beforeExit") !== true) break;
  }
  const isPending = result !== null && isModule;
  forget();
  if (own.exited !== null) return own.exited;
  if (ended !== null) return ended;
  const status = Number(ask(context, "exitCode"));
  if (isPending) {
    const why = "Detected unsettled top-level await: nothing is left that could settle it";
    own.output.write("stderr", Buffer.from(`Warning: ${why}\n`));
    return status === 0 ? UNSETTLED : status;
  }
  return status;
}

/**
 * Evaluates the script as what it is: CommonJS where it can be, a module where it must. A module is never compiled
 * just to see: with a second of its name in the context QuickJS frees what it still holds, and memory goes wild.
 */
function start({ context, input, strip }: Run): { readonly outcome: Outcome; readonly isModule: boolean } {
  const file = isFile(input) ? mainFileOf(input) : "[eval]";
  const code = input.stripTypes === true ? strip(input.jsCode) : input.jsCode;
  const compiles = (source: string): boolean => {
    const outcome = context.evalCode(source, file, { compileOnly: true });
    (outcome.error ?? outcome.value).dispose();
    return outcome.error === undefined;
  };
  const asScript = { outcome: () => context.evalCode(code, file), isModule: false };
  const asModule = {
    outcome: () => context.evalCode(withMeta(code, mainFileOf(input)), file, { type: "module" }),
    isModule: true,
  };
  const pick = () => {
    if (/\.m[jt]s$/.test(file)) return asModule;
    if (compiles(code)) return asScript;
    if (compiles(wrapped(code)))
      return {
        outcome: () =>
          context.evalCode(
            `${wrapped(code)}.call(module.exports, module.exports, require, module, __filename, __dirname)`,
            file,
          ),
        isModule: false,
      };
    return /^\s*(?:import|export)\b|\bawait\b/m.test(code) ? asModule : asScript;
  };
  const { outcome, isModule } = pick();
  return { outcome: outcome(), isModule };
}

/** What Node shows above an uncaught error: the file, the line and its text. */
function placeOf(said: string, backend: Backend, input: Input): string {
  const [, file, line] = /^\s*at (?:.*\()?([^()\s]+?):(\d+)(?::\d+)?\)?$/m.exec(said) ?? [];
  if (file === undefined || line === undefined || file.startsWith("<")) return "";
  let source = input.jsCode;
  if (file !== "[eval]" && file !== mainFileOf(input)) {
    try {
      source = Buffer.from(backend.readFile(file)).toString();
    } catch {
      return "";
    }
  }
  const text = source.split("\n")[Number(line) - 1];
  return text === undefined ? "" : `${file}:${line}\n${text}\n^\n\n`;
}

function isFile({ scriptPath }: Input): boolean {
  return scriptPath?.startsWith("/") === true;
}

function mainFileOf(input: Input): string {
  return isFile(input) ? (input.scriptPath as string) : `${input.cwd === "/" ? "" : input.cwd}/[eval]`;
}

function isReadable(backend: Backend, path: string): boolean {
  try {
    backend.readFile(path);
    return true;
  } catch {
    // A directory of that name.
    return false;
  }
}

function readSource(backend: Backend, file: string, strip: Run["strip"]): string {
  const source = Buffer.from(backend.readFile(file))
    .toString()
    .replace(/^\ufeff/, "");
  return /\.[mc]?ts$/.test(file) ? strip(source) : source;
}

/** On one line with the first of the source, so that lines keep their numbers. */
function wrapped(source: string): string {
  return `(function (exports, require, module, __filename, __dirname) { ${source.replace(/^#!/, "//")}\n})`;
}

/** QuickJS has no `import.meta.url`. */
function withMeta(source: string, file: string): string {
  const folder = file.slice(0, Math.max(1, file.lastIndexOf("/")));
  return source
    .replaceAll("import.meta.url", JSON.stringify(`file://${file}`))
    .replaceAll("import.meta.dirname", JSON.stringify(folder))
    .replaceAll("import.meta.filename", JSON.stringify(file));
}

function reexport(from: string, names: string): string {
  const list = names === "" ? [] : names.split(" ");
  const lines = list.map(
    (name, index) => `const $${index} = m[${JSON.stringify(name)}]; export { $${index} as ${name} };`,
  );
  return `const m = ${from}; export default m;\n${lines.join("\n")}`;
}

function callDriver(context: Context, name: string, ...args: Handle[]): Outcome {
  const found = context.evalCode('globalThis[Symbol.for("jb:run")]', "<run>");
  if (found.error !== undefined) return found;
  const call = context.getProp(found.value, name);
  const outcome = context.callFunction(call, found.value, ...args);
  call.dispose();
  found.value.dispose();
  return outcome;
}

/** One question to `quickjs-node.js`; an error of its own is told as a text. */
function ask(context: Context, name: string, ...args: Handle[]): unknown {
  const outcome = callDriver(context, name, ...args);
  for (const arg of args) arg.dispose();
  const handle = outcome.error ?? outcome.value;
  const answer = context.dump(handle);
  handle.dispose();
  return answer;
}
