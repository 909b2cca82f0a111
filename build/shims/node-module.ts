/**
 * What just-bash's js-exec worker gets for `node:module`: all of the real one, with a `stripTypeScriptTypes`
 * that works alike on every Node. Node's own is absent before 22.13 (a missing named export stops the worker
 * from linking, and js-exec then waits out its time limit), prints an ExperimentalWarning, and has to be
 * loaded before the engine blocks `WebAssembly`, hence by every script, TypeScript or not.
 */
import { readFileSync } from "node:fs";
import * as util from "node:util";
import { instantiate, type Stripper } from "swc:glue";

// @ts-expect-error TS2498: the types say `export =`, but the module has named exports.
export * from "node:module";
export { default } from "node:module";

// Taken while this module is linked: the worker's defenses replace the global once it is initialised.
const { WebAssembly: webAssembly } = globalThis as unknown as { WebAssembly: object };
const readFile = readFileSync;
const wasmFile = new URL("./typescript.wasm", import.meta.url);

// The worker strips this text once at start, so that its stripper is loaded early. It has no types.
const WARM_UP = "const x = 1;";

let stripper: Stripper | undefined;

/** Blanks out the types in `code`; positions stay. Throws a SyntaxError for what cannot just be left out. */
export function stripTypeScriptTypes(code: string): string {
  if (code === WARM_UP) return code;
  stripper ??= instantiate(readFile(wasmFile), webAssembly, util);
  try {
    return stripper.transformSync(code, { mode: "strip-only" }).code;
  } catch (error) {
    throw new SyntaxError(messageOf(error));
  }
}

// swc throws plain objects: { code, message, snippet, … }.
function messageOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  return String(error);
}
