/**
 * What is certain about a shell at one point of a script: variables with literal values, functions, aliases and
 * arguments. What is not certain is unknown, and known at run time only.
 */
import type { FunctionNode } from "../engine/parse-script.ts";

/** Stands in text for a part that is known at run time only. From the private use area: no script means it. */
export const UNKNOWN = "\uE000";
/** A field that may be no field, one or several. */
export const MANY = "\uE001";

/** One of these texts; or the fields of an array; or anything. */
export type Value =
  | { readonly is: "text"; readonly values: readonly string[] }
  | { readonly is: "list"; readonly items: readonly string[] }
  | { readonly is: "unknown" };

export const UNKNOWN_VALUE: Value = { is: "unknown" };

/** More values of one variable are as good as unknown. */
export const MOST_VALUES = 8;
/** More variables, or longer values, are not kept: states are copied at each branch. */
const MOST_VARIABLES = 500;
const MOST_VALUE_LENGTH = 20_000;
const MOST_ITEMS = 200;

let lastVersion = 0;

export class ShellState {
  readonly variables = new Map<string, Value>();
  readonly exported = new Set<string>();
  /** All bodies that a name may have here. */
  readonly functions: Map<string, readonly FunctionNode[]> = new Map();
  readonly exportedFunctions = new Set<string>();
  readonly aliases = new Map<string, string>();
  /** `$1` and on; null: unknown. */
  positional: readonly string[] | null = null;
  /** `$0`; null: unknown. */
  zero: string | null = null;
  /** Fields are split by other characters than blanks. */
  splitsOddly = false;
  /** `PATH` was set here: a program may be another than the one of that name. */
  setsPath = false;
  /** Other text has run in this shell: a variable that is not set here may be set there. */
  isOpaque = false;
  /** Equal versions: nothing has changed in between. */
  version = lastVersion;

  fork(): ShellState {
    const copy = new ShellState();
    copy.take(this);
    return copy;
  }

  /** The state of a program that this shell starts: what is exported, and no more. */
  child(positional: readonly string[] | null, zero: string | null = null): ShellState {
    const child = new ShellState();
    for (const name of this.exported) {
      const value = this.variables.get(name);
      if (value !== undefined) child.variables.set(name, value);
      child.exported.add(name);
    }
    for (const name of this.exportedFunctions) {
      const bodies = this.functions.get(name);
      if (bodies !== undefined) child.functions.set(name, bodies);
    }
    child.positional = positional;
    child.zero = zero;
    child.setsPath = this.setsPath;
    child.touch();
    return child;
  }

  take(other: ShellState): void {
    refill(this.variables, other.variables);
    refill(this.functions, other.functions);
    refill(this.aliases, other.aliases);
    for (const name of other.exported) this.exported.add(name);
    for (const name of other.exportedFunctions) this.exportedFunctions.add(name);
    this.positional = other.positional;
    this.zero = other.zero;
    this.splitsOddly = other.splitsOddly;
    this.setsPath = other.setsPath;
    this.isOpaque = other.isOpaque;
    this.version = other.version;
  }

  assign(name: string, value: Value): void {
    if (name === "IFS") this.splitsOddly = true;
    if (name === "PATH") this.setsPath = true;
    const isNew = !this.variables.has(name);
    if (isNew && this.variables.size >= MOST_VARIABLES) return;
    this.variables.set(name, isTooLarge(value) ? UNKNOWN_VALUE : value);
    this.touch();
  }

  define(node: FunctionNode): void {
    this.functions.set(node.name, [node]);
    this.touch();
  }

  touch(): void {
    this.version = ++lastVersion;
  }

  /** Becomes what is certain whichever of `branches` was taken. */
  join(branches: readonly ShellState[]): void {
    const [first, ...rest] = branches;
    if (first === undefined) return;
    const joined = first.fork();
    for (const other of rest) {
      for (const name of new Set([...joined.variables.keys(), ...other.variables.keys()])) {
        joined.variables.set(name, either(joined.variables.get(name), other.variables.get(name)));
      }
      for (const [name, bodies] of other.functions)
        joined.functions.set(name, [...new Set([...(joined.functions.get(name) ?? []), ...bodies])]);
      for (const [name, text] of other.aliases) joined.aliases.set(name, text);
      for (const name of other.exported) joined.exported.add(name);
      for (const name of other.exportedFunctions) joined.exportedFunctions.add(name);
      if (joined.positional !== other.positional) joined.positional = null;
      joined.splitsOddly ||= other.splitsOddly;
      joined.setsPath ||= other.setsPath;
      joined.isOpaque ||= other.isOpaque;
    }
    this.take(joined);
    this.touch();
  }
}

export function text(...values: readonly string[]): Value {
  const different = [...new Set(values)];
  return different.length > MOST_VALUES || different.length === 0
    ? UNKNOWN_VALUE
    : { is: "text", values: different };
}

function either(a: Value | undefined, b: Value | undefined): Value {
  if (a === b && a !== undefined) return a;
  if (a?.is === "text" && b?.is === "text") return text(...a.values, ...b.values);
  if (a?.is === "list" && b?.is === "list" && a.items[0] === b.items[0]) {
    const isSame = a.items.length === b.items.length && a.items.every((item, at) => item === b.items[at]);
    return isSame ? a : { is: "list", items: [a.items[0] ?? MANY, MANY] };
  }
  return UNKNOWN_VALUE;
}

function isTooLarge(value: Value): boolean {
  if (value.is === "unknown") return false;
  const parts = value.is === "text" ? value.values : value.items;
  return parts.length > MOST_ITEMS || parts.some(({ length }) => length > MOST_VALUE_LENGTH);
}

function refill<V>(map: Map<string, V>, other: ReadonlyMap<string, V>): void {
  map.clear();
  for (const [name, value] of other) map.set(name, value);
}
