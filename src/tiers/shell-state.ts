/**
 * What is certain about a shell at one point of a script: variables with literal values, functions, aliases and
 * arguments. What is not certain is unknown, and known at run time only.
 */
import type { FunctionNode } from "../engine/parse-script.ts";
import { SharedMap } from "./shared-map.ts";

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
export const MOST_ITEMS = 200;

let lastVersion = 0;

export class ShellState {
  variables = new SharedMap<Value>();
  exported = new SharedMap<true>();
  /** All bodies that a name may have here. */
  functions: SharedMap<readonly FunctionNode[]> = new SharedMap();
  exportedFunctions = new SharedMap<true>();
  aliases = new SharedMap<string>();
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
    for (const [name] of this.exported.entries()) {
      const value = this.variables.get(name);
      if (value !== undefined) child.variables.set(name, value);
    }
    child.exported = this.exported.fork();
    for (const [name] of this.exportedFunctions.entries()) {
      const bodies = this.functions.get(name);
      if (bodies !== undefined) child.functions.set(name, bodies);
    }
    child.exportedFunctions = this.exportedFunctions.fork();
    child.setPositional(positional);
    child.zero = zero;
    child.setsPath = this.setsPath;
    child.touch();
    return child;
  }

  take(other: ShellState): void {
    this.variables = other.variables.fork();
    this.functions = other.functions.fork();
    this.aliases = other.aliases.fork();
    this.exported = other.exported.fork();
    this.exportedFunctions = other.exportedFunctions.fork();
    this.positional = other.positional;
    this.zero = other.zero;
    this.splitsOddly = other.splitsOddly;
    this.setsPath = other.setsPath;
    this.isOpaque = other.isOpaque;
    this.version = other.version;
  }

  /** More arguments than a person would write are as good as unknown. */
  setPositional(fields: readonly string[] | null): void {
    this.positional = fields !== null && fields.length > MOST_ITEMS ? null : fields;
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
      joinVariables(joined.variables, other.variables);
      for (const [name, bodies] of added(joined.functions, other.functions))
        joined.functions.set(name, [...new Set([...(joined.functions.get(name) ?? []), ...bodies])]);
      for (const [name, value] of added(joined.aliases, other.aliases)) joined.aliases.set(name, value);
      for (const [name] of added(joined.exported, other.exported)) joined.exported.set(name, true);
      for (const [name] of added(joined.exportedFunctions, other.exportedFunctions))
        joined.exportedFunctions.set(name, true);
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

function joinVariables(joined: SharedMap<Value>, other: SharedMap<Value>): void {
  if (joined.isSameAs(other)) return;
  for (const [name, value] of [...joined.entries()]) joined.set(name, either(value, other.get(name)));
  for (const [name] of other.entries()) if (!joined.has(name)) joined.set(name, UNKNOWN_VALUE);
}

/** The entries of `other` that `map` has not, or not so. */
function added<V>(map: SharedMap<V>, other: SharedMap<V>): ReadonlyArray<readonly [string, V]> {
  if (map.isSameAs(other)) return [];
  return [...other.entries()].filter(([name, value]) => map.get(name) !== value);
}
