/**
 * What a shell hands up: its cwd and variables, arrays too, as `declare -p` prints them. What is read is taken apart and
 * quoted anew, never run as it came: text that a script made must not become code by being moved. Functions, aliases
 * and options stay behind: no shell prints functions in a way that another surely reads.
 */
import { quote } from "../shared/quote.ts";
import { type Element, readDeclarations, type Variable, type Word } from "./read-declarations.ts";

/** A state as a script for the next shell. */
export interface HandedState {
  readonly script: string;
  /** False when a variable could not be read, or is none that may be moved. */
  readonly isComplete: boolean;
}

/** Prints the state. `builtin`, because a script may have functions of these names. */
export const STATE_SCRIPT = "builtin declare -p; builtin printf '\\0'; builtin pwd";

/** What every shell has for itself. */
const OWN =
  /^(?:BASH.*|COMP_.*|COLUMNS|COPROC|DIRSTACK|EPOCH.*|EUID|FUNCNAME|GROUPS|HISTCMD|HISTFILE.*|HISTSIZE|HOSTNAME|HOSTTYPE|LINENO|LINES|MACHTYPE|MAILCHECK|OLDPWD|OPTERR|OPTIND|OSTYPE|PATH|PIPESTATUS|PPID|PS[0-4]|PWD|RANDOM|READLINE.*|SECONDS|SHELLOPTS|SHLVL|SRANDOM|TERM|UID|_)$/;

/** What the shell of tier 0 starts with: the next shell has its own, unless a script changed it. */
const STARTS_WITH = new Map([
  ["HOME", "'/home/user'"],
  ["IFS", "$' \\t\\n'"],
  ["LANG", "'C.UTF-8'"],
  ["SHELL", "'/bin/bash'"],
  ["USER", "'user'"],
]);

/** Directories that every shell has in its PATH, as far as it has them. */
const STANDARD_PATH = /^\/(?:usr\/(?:local\/)?)?s?bin$/;

/** Far below what a shell takes as one script: what is above stays behind, so that the move is possible. */
const MAX_SCRIPT_LENGTH = 4 * 1024 * 1024;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const INTEGER = /^(?:-?[0-9]{1,19})?$/;
/** In a form that arithmetic reads as the same number. */
const INDEX = /^(?:0|[1-9][0-9]{0,17})$/;

/** Reads what `STATE_SCRIPT` printed; `null` for what it did not print. */
export function toHandedState(printed: string): HandedState | null {
  const divider = printed.lastIndexOf("\0");
  const cwd = printed.slice(divider + 1).replace(/\n$/, "");
  if (divider === -1 || !cwd.startsWith("/")) return null;
  const { variables, leftBehind } = readDeclarations(printed.slice(0, divider));
  let isComplete = leftBehind.every((name) => OWN.test(name));
  const lines: string[] = [];
  let room = MAX_SCRIPT_LENGTH;
  for (const [name, variable] of variables) {
    if (OWN.test(name) || (STARTS_WITH.has(name) && textOf(variable)?.quoted === STARTS_WITH.get(name)))
      continue;
    const set = assignment(name, variable);
    room -= set?.join("\n").length ?? 0;
    if (set === null || room < 0) isComplete = false;
    else lines.push(...set);
  }
  for (const name of STARTS_WITH.keys()) if (!variables.has(name)) lines.push(`unset -v ${name}`);
  lines.push(...pathLine(textOf(variables.get("PATH"))?.plain));
  // Last, for its status; it sets OLDPWD to where it came from.
  const before = textOf(variables.get("OLDPWD"));
  lines.push(`cd -- ${quote(cwd)}${before === null ? "" : ` && OLDPWD=${before.quoted}`}`);
  return { script: lines.join("\n"), isComplete };
}

function textOf(variable: Variable | undefined): Word | null {
  const value = variable?.value ?? null;
  return isList(value) ? null : value;
}

function isList(value: Variable["value"]): value is readonly Element[] {
  return Array.isArray(value);
}

/**
 * The value first, the attributes behind it: an assignment to what is `-i` already is arithmetic, and arithmetic runs
 * the `$(…)` of an index. So is the key of an `-a` array, and what a name reference names: of these only plain numbers
 * and names go up. `-g`, for a shell that runs scripts inside a function. `null`: it must stay behind.
 */
function assignment(name: string, { flags, value }: Variable): readonly string[] | null {
  if (!/^(?:-|[aAilnrtux]+)$/.test(flags) || /a.*A|A.*a/.test(flags)) return null;
  if (flags.includes("n")) {
    const target = isList(value) ? null : (value?.plain ?? null);
    if (value !== null && (target === null || !NAME.test(target) || target === name)) return null;
    return /^[nrx]+$/.test(flags)
      ? [`declare -g${flags} ${name}${target === null ? "" : `=${target}`}`]
      : null;
  }
  if (flags.includes("i") && !valuesOf(value).every(({ plain }) => plain !== null && INTEGER.test(plain)))
    return null;
  if (isList(value) && !/[aA]/.test(flags)) return null;
  const isIndexed = flags.includes("a");
  const lines: string[] = [];
  if (/[aA]/.test(flags)) lines.push(`declare -g${isIndexed ? "a" : "A"} ${name}`);
  if (isList(value)) {
    if (isIndexed && !value.every(({ key }) => INDEX.test(key.plain ?? ""))) return null;
    const elements = value.map(
      ({ key, value: { quoted } }) => `[${isIndexed ? key.plain : key.quoted}]=${quoted}`,
    );
    lines.push(`${name}=(${elements.join(" ")})`);
  } else if (value !== null) lines.push(`${name}=${value.quoted}`);
  const rest = flags.replace(/[-aA]/g, "");
  if (rest === "x") lines.push(`export ${name}`);
  else if (rest !== "") lines.push(`declare -g${rest} ${name}`);
  else if (lines.length === 0) lines.push(`declare -g ${name}`);
  return lines;
}

function valuesOf(value: Variable["value"]): readonly Word[] {
  if (value === null) return [];
  return isList(value) ? value.map((element) => element.value) : [value];
}

/** What a script added to PATH, around the PATH that the next shell has. */
function pathLine(value: string | null | undefined): string[] {
  const entries = value?.split(":") ?? [];
  const isAdded = (entry: string): boolean => !STANDARD_PATH.test(entry);
  const first = entries.findIndex((entry) => !isAdded(entry));
  const front = (first === -1 ? entries : entries.slice(0, first)).filter(isAdded);
  const back = first === -1 ? [] : entries.slice(first).filter(isAdded);
  if (front.length === 0 && back.length === 0) return [];
  const parts = [...front.map(quote), '"$PATH"', ...back.map(quote)];
  return [`export PATH=${parts.join(":")}`];
}
