/** What a caller passed to `exec` → checked values, or one sentence that names the option and what was expected. */
import { tellThrown } from "../shared/redact.ts";
import type { ExecOptions } from "../shared/sandbox.ts";
import { resolveVirtualPath } from "../shared/virtual-path.ts";

/** `exec`'s arguments, checked and copied: the caller may change its objects while the command waits. */
export interface CheckedExec {
  readonly command: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly replaceEnv?: boolean;
  readonly stdin?: Uint8Array;
  readonly args?: readonly string[];
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  readonly onStdout?: (chunk: Uint8Array) => void;
  readonly onStderr?: (chunk: Uint8Array) => void;
}

type Reader = (value: unknown, name: string, workspaceCwd: string) => unknown;

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const READERS: { readonly [Name in keyof Required<ExecOptions>]: Reader } = {
  cwd: (value, name, workspaceCwd) => {
    if (typeof value !== "string" || value === "" || value.includes("\0")) {
      throw expected(name, "a path without NUL");
    }
    return resolveVirtualPath(workspaceCwd, value);
  },
  env: (value, name) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw expected(name, "an object of strings");
    }
    // Null prototype: a variable may be named like something that every object has.
    const env: Record<string, string> = Object.create(null);
    for (const [key, text] of Object.entries(value)) {
      if (!VARIABLE_NAME.test(key)) {
        throw expected(
          `${name}[${JSON.stringify(key)}]`,
          "a name of letters, digits and _ that starts with no digit",
        );
      }
      env[key] = asText(text, `${name}.${key}`);
    }
    return env;
  },
  replaceEnv: (value, name) => {
    if (typeof value !== "boolean") throw expected(name, "true or false");
    return value;
  },
  stdin: (value, name) => {
    if (typeof value === "string") return new TextEncoder().encode(value);
    if (!(value instanceof Uint8Array)) throw expected(name, "a string or Uint8Array");
    return value.slice();
  },
  args: (value, name) => {
    if (!Array.isArray(value)) throw expected(name, "an array of strings");
    return Array.from(value, (text: unknown, index) => asText(text, `${name}[${index}]`));
  },
  signal: (value, name) => {
    if (!isAbortSignal(value)) throw expected(name, "an AbortSignal");
    return value;
  },
  timeoutMs: (value, name) => {
    if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) {
      throw expected(name, "milliseconds above 0");
    }
    return value;
  },
  maxOutputBytes: (value, name) => {
    if (!Number.isSafeInteger(value) || Number(value) < 1)
      throw expected(name, "a whole number of bytes above 0");
    return value;
  },
  onStdout: asCallback,
  onStderr: asCallback,
};

/** Never throws: options with getters that throw are bad options. */
export function checkExec(
  command: unknown,
  options: unknown,
  workspaceCwd: string,
): CheckedExec | { problem: string } {
  try {
    if (typeof command !== "string") throw expected("command", "a string", command);
    if (options === undefined) return { command };
    if (typeof options !== "object" || options === null) throw expected("options", "an object", options);
    const checked: Record<string, unknown> = { command };
    for (const [name, value] of Object.entries(options)) {
      if (!Object.hasOwn(READERS, name)) {
        throw new TypeError(`unknown option "${name}"; known: ${Object.keys(READERS).join(", ")}`);
      }
      if (value === undefined) continue;
      checked[name] = READERS[name as keyof typeof READERS](value, name, workspaceCwd);
    }
    return checked as unknown as CheckedExec;
  } catch (thrown) {
    return { problem: thrown instanceof TypeError ? tellThrown(thrown) : "the options cannot be read" };
  }
}

function expected(name: string, what: string, got?: unknown): TypeError {
  return new TypeError(
    `${name}: expected ${what}${got === undefined ? "" : `, got ${got === null ? "null" : typeof got}`}`,
  );
}

function asText(value: unknown, name: string): string {
  if (typeof value !== "string" || value.includes("\0")) throw expected(name, "a string without NUL");
  return value;
}

function asCallback(value: unknown, name: string): unknown {
  if (typeof value !== "function") throw expected(name, "a function");
  return value;
}

// By shape: a signal may come from another realm or a polyfill.
function isAbortSignal(value: unknown): boolean {
  const signal = value as Partial<AbortSignal> | null;
  return (
    typeof signal === "object" &&
    typeof signal?.aborted === "boolean" &&
    typeof signal.addEventListener === "function"
  );
}
