/**
 * The attributes of variables (`-i`, `-l`, `-u`, `-n`, `-r`) in functions. The engine keeps them by name alone: a
 * `local -i n` would leave every later `n` of the script an integer, and a plain `local n` would be one too.
 */

/** What of the interpreter's state holds attributes. */
export interface AttributeState {
  integerVars?: Set<string>;
  lowercaseVars?: Set<string>;
  uppercaseVars?: Set<string>;
  namerefs?: Set<string>;
  boundNamerefs?: Set<string>;
  invalidNamerefs?: Set<string>;
  readonlyVars?: Set<string>;
  readonly localScopes: readonly unknown[];
  /** Ours: for each function that runs, name → the attributes that the name had outside. */
  localAttributes?: Map<string, readonly Attribute[]>[];
}

type Attribute = (typeof ATTRIBUTES)[number];

const ATTRIBUTES = [
  "integerVars",
  "lowercaseVars",
  "uppercaseVars",
  "namerefs",
  "boundNamerefs",
  "invalidNamerefs",
  "readonlyVars",
] as const;

/** A name becomes local to the function that runs: it starts without attributes. Read-only names stay so. */
export function beginLocal(state: AttributeState, name: string): void {
  const depth = state.localScopes.length;
  if (depth === 0) return;
  state.localAttributes ??= [];
  state.localAttributes.length = depth;
  const outside = state.localAttributes[depth - 1] ?? new Map<string, readonly Attribute[]>();
  state.localAttributes[depth - 1] = outside;
  if (outside.has(name)) return;
  outside.set(
    name,
    ATTRIBUTES.filter((attribute) => state[attribute]?.has(name)),
  );
  for (const attribute of ATTRIBUTES) if (attribute !== "readonlyVars") state[attribute]?.delete(name);
}

/** The function returns: its locals get back the attributes that they have outside. */
export function endLocals(state: AttributeState): void {
  const depth = state.localScopes.length;
  const outside = state.localAttributes?.[depth - 1];
  if (outside === undefined || state.localAttributes === undefined) return;
  state.localAttributes.length = depth - 1;
  for (const [name, had] of outside) {
    for (const attribute of ATTRIBUTES) {
      if (!had.includes(attribute)) state[attribute]?.delete(name);
      else state[attribute] = (state[attribute] ?? new Set()).add(name);
    }
  }
}

/** `unset` takes the attributes along; a name reference only loses them to `unset -n`. */
export function dropAttributes(state: AttributeState, name: string): void {
  state.integerVars?.delete(name);
  state.lowercaseVars?.delete(name);
  state.uppercaseVars?.delete(name);
}
