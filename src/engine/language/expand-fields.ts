/**
 * A word → its fields. The engine has some thirty functions for words of one shape each (`"${a[@]}"` alone, the
 * first `$@` of a word, …) and what fits none is split or joined wrongly: two lists in one word, a list with an
 * operation among other text, blanks at the ends of `x$v`, quoted patterns beside a variable. Here are the rules
 * themselves; values and single operations stay the engine's. Longer than most files: one recursion over one tree.
 */
import type { SimpleCommandNode } from "just-bash";
import { numberRange } from "./brace-range.ts";
import { type Field, FieldSplitter } from "./field-splitter.ts";

type WordNode = SimpleCommandNode["args"][number];
type Part = WordNode["parts"][number];
type ParameterPart = Extract<Part, { type: "ParameterExpansion" }>;
type BracePart = Extract<Part, { type: "BraceExpansion" }>;
/** The engine's types do not name the fields of every operation. */
interface Operation {
  readonly type: string;
  readonly word?: WordNode | null;
  readonly checkEmpty?: boolean;
  readonly operator?: string;
  readonly array?: string;
  readonly star?: boolean;
  readonly prefix?: string;
  readonly innerOp?: Operation;
  readonly offset?: unknown;
  readonly length?: unknown;
}

/** What the interpreter gives. */
export interface FieldShell {
  ifs(): string;
  /** The text between the elements of `"$*"`. */
  joint(): string;
  /** A part that is one value. */
  part(part: Part): Promise<string>;
  /** A parameter that is one value, with its operation. */
  parameter(part: ParameterPart, quoted: boolean): Promise<string>;
  /** `*` and the like with their variables expanded. */
  pattern(pattern: string): Promise<string>;
  /** The value of a parameter, or `null` where it is not set. */
  value(parameter: string): Promise<string | null>;
  /** `$1`, `$2`, … */
  positional(): string[];
  /** `$0`. */
  scriptName(): string;
  /** Elements by index or key, in order. */
  elements(name: string): [string | number, string][];
  isAssociative(name: string): boolean;
  /** The name that a name reference stands for, or the name. */
  target(name: string): string;
  isReference(name: string): boolean;
  namesWith(prefix: string): string[];
  /** Applies `#`, `/`, `^`, `@` to one element. */
  apply(value: string, operation: Operation, name: string): Promise<string>;
  /** `${x:=word}`. */
  assign(parameter: string, value: string): Promise<void>;
  number(expression: unknown): Promise<number>;
  /** Files that match, or `null`: the text stands for itself. */
  glob(pattern: string, text: string): Promise<string[] | null>;
  readonly globs: boolean;
  readonly extendedPatterns: boolean;
}

const LIST = /^([A-Za-z_]\w*)\[([@*])\]$/s;
const EACH = new Set(["PatternRemoval", "PatternReplacement", "CaseModification", "Transform"]);
const ONLY_WHEN = new Set(["DefaultValue", "AssignDefault", "UseAlternative"]);

/** Expands a word as an argument. */
export async function expandFields(shell: FieldShell, word: WordNode): Promise<string[]> {
  const only = word.parts[0];
  if (word.parts.length === 1 && only?.type === "Literal") return [only.value];
  const splitter = new FieldSplitter(shell.ifs());
  for (const parts of hasBraces(word.parts) ? braceWords(word.parts) : [word.parts]) {
    for (const part of parts) await addPart(shell, splitter, part);
    splitter.end();
  }
  return matchFiles(shell, splitter.fields);
}

async function matchFiles(shell: FieldShell, fields: readonly Field[]): Promise<string[]> {
  const words: string[] = [];
  for (const { text, pattern, globs } of fields) {
    const wild = globs && shell.globs && isPattern(pattern, shell.extendedPatterns);
    const found = wild ? await shell.glob(pattern, text) : null;
    if (found === null) words.push(text);
    else for (const path of found) words.push(path);
  }
  return words;
}

function isPattern(pattern: string, extended: boolean): boolean {
  const bare = pattern.replace(/\\./gs, "");
  return /[*?[]/.test(bare) || (extended && /[@*+?!]\(/.test(bare));
}

async function addPart(shell: FieldShell, to: FieldSplitter, part: Part): Promise<void> {
  switch (part.type) {
    case "Literal":
      // A bracket expression may go on in a literal, after an expansion in it.
      return part.value === "" ? undefined : to.pattern(part.value.replaceAll("\\", "\\\\"), part.value);
    case "SingleQuoted":
    case "Escaped":
      return to.quoted(part.value);
    case "DoubleQuoted":
      return addQuoted(shell, to, part.parts);
    case "Glob": {
      const pattern = await shell.pattern(part.pattern);
      return to.pattern(pattern, pattern.replace(/\\(.)/gs, "$1"));
    }
    case "ParameterExpansion":
      return addParameter(shell, to, part, false);
    case "CommandSubstitution":
    case "ArithmeticExpansion":
      return to.split(await shell.part(part));
    default:
      return to.quoted(await shell.part(part));
  }
}

async function addQuoted(shell: FieldShell, to: FieldSplitter, parts: readonly Part[]): Promise<void> {
  if (parts.length === 0) to.quoted("");
  for (const part of parts) {
    if (part.type === "ParameterExpansion") await addParameter(shell, to, part, true);
    else if (part.type === "DoubleQuoted") await addQuoted(shell, to, part.parts);
    else to.quoted(await shell.part(part));
  }
}

async function addParameter(
  shell: FieldShell,
  to: FieldSplitter,
  part: ParameterPart,
  quoted: boolean,
): Promise<void> {
  const operation = part.operation as Operation | null;
  const list = await listOf(shell, part);
  if (operation !== null && ONLY_WHEN.has(operation.type)) {
    if (await takesWord(shell, part.parameter, operation, list)) {
      if (operation.type === "AssignDefault") {
        const value = await shell.parameter(part, quoted);
        return quoted ? to.quoted(value) : to.split(value);
      }
      return addOperand(shell, to, operation.word ?? { type: "Word", parts: [] }, quoted);
    }
    if (operation.type === "UseAlternative") return quoted && list === null ? to.quoted("") : undefined;
    if (list === null) return addParameter(shell, to, { ...part, operation: null }, quoted);
  }
  if (list === null) {
    const value = await shell.parameter(part, quoted);
    return quoted ? to.quoted(value) : to.split(value);
  }
  if (quoted && list.star) return to.quoted(list.values.join(shell.joint()));
  for (const [index, value] of list.values.entries()) {
    if (index > 0) to.end();
    // Between delimiters that are no blanks, nothing is something.
    if (quoted || (value === "" && index < list.values.length - 1 && /[^ \t\n]/.test(shell.ifs())))
      to.quoted(value);
    else to.split(value);
  }
}

/** The word of `${x:-word}`: outside quotes its own text is split too. */
async function addOperand(
  shell: FieldShell,
  to: FieldSplitter,
  word: WordNode,
  quoted: boolean,
): Promise<void> {
  if (quoted) {
    const parts = word.parts.filter((part) => part.type !== "Literal" || part.value !== "");
    return addQuoted(shell, to, parts);
  }
  for (const part of word.parts) {
    if (part.type === "Literal") to.split(part.value);
    else await addPart(shell, to, part);
  }
}

async function takesWord(
  shell: FieldShell,
  parameter: string,
  operation: Operation,
  list: List | null,
): Promise<boolean> {
  let missing: boolean;
  if (list !== null) {
    const { values } = list;
    missing =
      values.length === 0 || (operation.checkEmpty === true && values.length === 1 && values[0] === "");
  } else {
    const value = await shell.value(parameter);
    missing = value === null || (operation.checkEmpty === true && value === "");
  }
  return operation.type === "UseAlternative" ? !missing : missing;
}

interface List {
  readonly values: string[];
  /** `*`: one word in quotes. */
  readonly star: boolean;
}

/** The values of a parameter that stands for several; `null`: it stands for one. */
export async function listOf(shell: FieldShell, part: ParameterPart): Promise<List | null> {
  const { parameter } = part;
  const operation = part.operation as Operation | null;
  if (operation?.type === "ArrayKeys") {
    const keys = shell.elements(shell.target(operation.array ?? "")).map(([key]) => String(key));
    return { values: keys, star: operation.star === true };
  }
  if (operation?.type === "VarNamePrefix")
    return { values: shell.namesWith(operation.prefix ?? ""), star: operation.star === true };
  if (operation?.type === "Indirection") return indirectList(shell, part, operation);
  const named =
    LIST.exec(parameter) ?? (shell.isReference(parameter) ? LIST.exec(shell.target(parameter)) : null);
  const star = (named?.[2] ?? parameter) === "*";
  if (named === null && parameter !== "@" && parameter !== "*") return null;
  const name = named?.[1] === undefined ? null : shell.target(named[1]);
  if (operation === null || ONLY_WHEN.has(operation.type))
    return { values: await valuesOf(shell, name), star };
  if (operation.type === "Substring") return { values: await slice(shell, name, operation), star };
  if (!EACH.has(operation.type) || /[aAKk]/.test(operation.operator ?? "")) return null;
  const values: string[] = [];
  for (const value of await valuesOf(shell, name))
    values.push(await shell.apply(value, operation, name ?? parameter));
  return { values, star };
}

async function indirectList(
  shell: FieldShell,
  part: ParameterPart,
  { innerOp }: Operation,
): Promise<List | null> {
  if (shell.isReference(part.parameter)) return null;
  const target = await shell.value(part.parameter);
  if (target === null || !(LIST.test(target) || target === "@" || target === "*")) return null;
  return listOf(shell, {
    ...part,
    parameter: target,
    operation: (innerOp ?? null) as ParameterPart["operation"],
  });
}

async function valuesOf(shell: FieldShell, name: string | null): Promise<string[]> {
  if (name === null) return shell.positional();
  const elements = shell.elements(name);
  if (elements.length > 0) return elements.map(([, value]) => value);
  const single = await shell.value(name);
  return single === null ? [] : [single];
}

async function slice(
  shell: FieldShell,
  name: string | null,
  { offset, length }: Operation,
): Promise<string[]> {
  const from = await shell.number(offset);
  const count =
    length === null || length === undefined ? Number.POSITIVE_INFINITY : await shell.number(length);
  if (name === null) {
    const all = from > 0 ? shell.positional() : [shell.scriptName(), ...shell.positional()];
    const start = from > 0 ? from - 1 : from < 0 ? all.length + from : 0;
    return start < 0 ? [] : all.slice(start, start + Math.max(0, count));
  }
  const elements = shell.elements(name);
  if (elements.length === 0) {
    const single = await shell.value(name);
    return single !== null && from === 0 && count > 0 ? [single] : [];
  }
  if (shell.isAssociative(name)) {
    const start = from > 0 ? from - 1 : 0;
    return elements.map(([, value]) => value).slice(start, start + Math.max(0, count));
  }
  const last = Number(elements.at(-1)?.[0] ?? -1);
  const start = from < 0 ? last + 1 + from : from;
  if (start < 0) return [];
  return elements
    .filter(([index]) => Number(index) >= start)
    .map(([, value]) => value)
    .slice(0, Math.max(0, count));
}

function hasBraces(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => type === "BraceExpansion");
}

/** `a{b,c}d` → the parts of each word. */
function braceWords(parts: readonly Part[]): Part[][] {
  let words: Part[][] = [[]];
  for (const part of parts) {
    if (part.type !== "BraceExpansion") {
      for (const word of words) word.push(part);
      continue;
    }
    const choices = braceItems(part);
    words =
      words.length === 1 && words[0]?.length === 0
        ? choices
        : words.flatMap((word) => choices.map((choice) => [...word, ...choice]));
  }
  return words;
}

function braceItems({ items }: BracePart): Part[][] {
  const words: Part[][] = [];
  for (const item of items) {
    if (item.type === "Word") for (const word of braceWords(item.word.parts)) words.push(word);
    else for (const value of rangeOf(item)) words.push([{ type: "SingleQuoted", value }]);
  }
  return words;
}

function rangeOf(range: Extract<BracePart["items"][number], { type: "Range" }>): string[] {
  const { start, end, step, startStr, endStr } = range;
  if (typeof start === "number" && typeof end === "number")
    return numberRange(start, end, step, startStr, endStr);
  const codes = [start, end].map((char) => String(char).charCodeAt(0));
  return numberRange(codes[0] ?? 0, codes[1] ?? 0, step).map((code) => String.fromCharCode(Number(code)));
}
