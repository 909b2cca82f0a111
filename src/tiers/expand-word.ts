/** What a word becomes, as far as the script tells: fields, with what only run time can tell marked in them. */
import type { ScriptNode, WordNode } from "../engine/parse-script.ts";
import {
  MANY,
  MOST_VALUES,
  type ShellState,
  text,
  UNKNOWN,
  UNKNOWN_VALUE,
  type Value,
} from "./shell-state.ts";
import { spend } from "./work-budget.ts";

export type WordPart = WordNode["parts"][number];
type Parameter = Extract<WordPart, { type: "ParameterExpansion" }>;

/** What commands print, or null when only run time can tell. */
export type OutputOf = (body: ScriptNode) => string | null;

/** A piece of a field, or fields of their own. */
type Piece = { readonly text: string; readonly splits: boolean } | { readonly fields: readonly string[] };

/** Braces make more fields than a script that a person could read has words. */
const MOST_FIELDS = 256;

/** The fields of a word, once for each way that its variables may be. */
export function expandFields(
  word: WordNode,
  state: ShellState,
  outputOf: OutputOf,
): ReadonlyArray<readonly string[]> {
  return expandParts(word.parts, state, outputOf, { count: MOST_FIELDS });
}

/** The fields of a word that can be no others; what may be this or that is as good as unknown. */
export function certainFields(word: WordNode, state: ShellState, outputOf: OutputOf): readonly string[] {
  const [only, ...others] = expandFields(word, state, outputOf);
  return only === undefined || others.length > 0 ? [MANY] : only;
}

/** The texts that a word may be where it is one: as a value, after `case`, behind a redirection. */
export function expandText(word: WordNode, state: ShellState, outputOf: OutputOf): readonly string[] {
  let texts: readonly string[] = [""];
  for (const part of word.parts) {
    const pieces = piecesOf(part, true, state, outputOf);
    texts = texts.flatMap((before) =>
      pieces.map((piece) => before + ("fields" in piece ? piece.fields.join(" ") : piece.text)),
    );
    if (texts.length > MOST_VALUES) return [UNKNOWN];
    for (const known of texts) spend(known.length);
  }
  return texts.map((known) => known.replaceAll(MANY, UNKNOWN));
}

class Draft {
  constructor(
    readonly fields: readonly string[] = [],
    readonly open: string | null = null,
    /** The open field is an expansion without quotes and nothing else: it may be no field or several. */
    readonly isBare = false,
  ) {}

  add(piece: Piece): Draft {
    if ("fields" in piece)
      return piece.fields.reduce<Draft>((draft, field, at) => draft.field(field, at), this);
    const { text, splits } = piece;
    spend(text.length * 16);
    if (!splits) return new Draft(this.fields, (this.open ?? "") + text);
    if (text === UNKNOWN)
      return this.open === null
        ? new Draft(this.fields, text, true)
        : new Draft(this.fields, this.open + text);
    const words = text.split(/[ \t\n]+/);
    return words.reduce<Draft>((draft, word, at) => {
      spend(draft.fields.length * 4);
      const ended = at === 0 ? draft : new Draft(draft.close());
      return word === "" ? ended : new Draft(ended.fields, (ended.open ?? "") + word);
    }, this);
  }

  field(field: string, at: number): Draft {
    spend(this.fields.length * 16);
    const ended = at === 0 ? this : new Draft(this.close());
    if (field === MANY && ended.open === null) return new Draft(ended.fields, UNKNOWN, true);
    return new Draft(ended.fields, (ended.open ?? "") + field);
  }

  close(): readonly string[] {
    return this.open === null ? this.fields : [...this.fields, this.isBare ? MANY : this.open];
  }
}

function expandParts(
  parts: readonly WordPart[],
  state: ShellState,
  outputOf: OutputOf,
  left: { count: number },
): ReadonlyArray<readonly string[]> {
  const at = parts.findIndex(({ type }) => type === "BraceExpansion");
  const brace = parts[at];
  if (brace?.type === "BraceExpansion") {
    const fields: string[] = [];
    for (const item of brace.items) {
      const inner: readonly WordPart[] =
        item.type === "Word" ? item.word.parts : [{ type: "SingleQuoted", value: UNKNOWN }];
      const made = [...parts.slice(0, at), ...inner, ...parts.slice(at + 1)];
      const [only, ...others] = --left.count < 0 ? [] : expandParts(made, state, outputOf, left);
      if (only === undefined || others.length > 0) return [[MANY]];
      fields.push(...only);
    }
    return [fields];
  }
  let drafts: readonly Draft[] = [new Draft()];
  for (const [part, quoted] of flat(parts)) {
    const pieces = part === null ? [{ text: "", splits: false }] : piecesOf(part, quoted, state, outputOf);
    drafts = drafts.flatMap((draft) => pieces.map((piece) => draft.add(piece)));
    if (drafts.length > MOST_VALUES) return [[MANY]];
  }
  return drafts.map((draft) => draft.close());
}

/** The parts, with those between double quotes among them; null: a field is there though nothing may be in it. */
function flat(parts: readonly WordPart[]): Array<readonly [part: WordPart | null, quoted: boolean]> {
  return parts.flatMap((part): Array<readonly [WordPart | null, boolean]> => {
    if (part.type !== "DoubleQuoted") return [[part, false]];
    const inner = part.parts.map((quoted) => [quoted, true] as const);
    const [only] = part.parts;
    const isList =
      part.parts.length === 1 && only?.type === "ParameterExpansion" && /@\]?$/.test(only.parameter);
    return isList ? inner : [[null, true], ...inner];
  });
}

function piecesOf(part: WordPart, quoted: boolean, state: ShellState, outputOf: OutputOf): readonly Piece[] {
  spend();
  switch (part.type) {
    case "Literal":
      return [{ text: part.value, splits: part.value === UNKNOWN && !quoted }];
    case "SingleQuoted":
    case "Escaped":
      return [{ text: part.value, splits: false }];
    case "DoubleQuoted": {
      const texts = expandText({ type: "Word", parts: part.parts }, state, outputOf);
      return texts.map((known) => ({ text: known, splits: false }));
    }
    case "TildeExpansion":
      return [{ text: `~${part.user ?? ""}`, splits: false }];
    case "Glob":
      return [{ text: /^[[\]]$/.test(part.pattern) ? part.pattern : UNKNOWN, splits: false }];
    case "CommandSubstitution": {
      const output = outputOf(part.body)?.replace(/\n+$/, "") ?? UNKNOWN;
      return [splitting(output, quoted, state)];
    }
    case "ParameterExpansion":
      return parameterPieces(part, quoted, state, outputOf);
    default:
      return [{ text: UNKNOWN, splits: false }];
  }
}

function parameterPieces(
  part: Parameter,
  quoted: boolean,
  state: ShellState,
  outputOf: OutputOf,
): readonly Piece[] {
  const { parameter, operation } = part;
  const list = listOf(parameter, state);
  if (list !== null && operation === null)
    return [quoted && parameter.endsWith("*") ? { text: list.join(" "), splits: false } : { fields: list }];
  const texts = operate(part, knownValue(parameter, state), state, outputOf);
  return texts.map((known) => splitting(known, quoted, state));
}

/** The fields that `$@` or `${a[@]}` is, or null for a parameter that is one text. */
function listOf(parameter: string, state: ShellState): readonly string[] | null {
  if (parameter === "@" || parameter === "*") return state.positional ?? [MANY];
  const name = /^(\w+)\[[@*]\]$/.exec(parameter)?.[1];
  if (name === undefined) return null;
  const value = state.variables.get(name);
  if (value?.is === "list") return value.items;
  return value?.is === "text" && value.values.length === 1 ? value.values : [MANY];
}

/** Undefined: nothing in the script has set it. */
function knownValue(parameter: string, state: ShellState): Value | undefined {
  if (parameter === "0") return state.zero === null ? UNKNOWN_VALUE : text(state.zero);
  if (/^[1-9]\d*$/.test(parameter)) {
    const { positional } = state;
    if (positional === null) return undefined;
    const at = Number(parameter) - 1;
    return positional.slice(0, at + 1).includes(MANY) ? UNKNOWN_VALUE : text(positional[at] ?? "");
  }
  const [, name, index] = /^([A-Za-z_]\w*)(?:\[(\d+)\])?$/.exec(parameter) ?? [];
  if (name === undefined) return UNKNOWN_VALUE;
  const value = state.variables.get(name);
  if (value === undefined && /^(?:SHELL|BASH)$/.test(name)) return text("/bin/bash");
  if (value === undefined) return state.isOpaque ? UNKNOWN_VALUE : undefined;
  if (value.is !== "list") return index === undefined || index === "0" ? value : UNKNOWN_VALUE;
  const items = value.items.slice(0, Number(index ?? 0) + 1);
  return items.includes(MANY) ? UNKNOWN_VALUE : text(items[Number(index ?? 0)] ?? "");
}

function operate(
  { parameter, operation }: Parameter,
  value: Value | undefined,
  state: ShellState,
  outputOf: OutputOf,
): readonly string[] {
  const known = value?.is === "text" ? value.values : null;
  switch (operation?.type) {
    case undefined:
    case "ErrorIfUnset":
      return known ?? [UNKNOWN];
    case "DefaultValue":
    case "AssignDefault": {
      // What no line of the script sets is taken to be unset: that is what a default is there for.
      const isUnset = value === undefined;
      const isEmpty = known?.length === 1 && known[0] === "" && operation.checkEmpty;
      if (!isUnset && !isEmpty) return known?.every((one) => one !== "") === true ? known : [UNKNOWN];
      const texts = expandText(operation.word, state, outputOf);
      if (operation.type === "AssignDefault") state.assign(parameter, text(...texts));
      return texts;
    }
    case "UseAlternative":
      if (known?.every((one) => one !== "") === true) return expandText(operation.word, state, outputOf);
      return known?.every((one) => one === "") === true && operation.checkEmpty ? [""] : [UNKNOWN];
    default:
      return [UNKNOWN];
  }
}

function splitting(known: string, quoted: boolean, state: ShellState): Piece {
  if (quoted) return { text: known, splits: false };
  return { text: state.splitsOddly && /\W/.test(known) ? UNKNOWN : known, splits: true };
}
