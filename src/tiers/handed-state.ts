/**
 * What a shell hands up: its cwd and variables, arrays too, as `declare -p` prints them. What is read is taken apart and
 * quoted anew, never run as it came: text that a script made must not become code by being moved. Functions, aliases
 * and options stay behind: no shell prints functions in a way that another surely reads.
 */

/** A state as a script for the next shell. */
export interface HandedState {
  readonly script: string;
  /** False when a variable could not be read. */
  readonly isComplete: boolean;
}

/** Prints the state. `builtin`, because a script may have functions of these names. */
export const STATE_SCRIPT = "builtin declare -p; builtin printf '\\0'; builtin pwd";

/** Longer ones no program could be started with. */
const MAX_VALUE_LENGTH = 131_072;

/** What every shell has for itself. */
const OWN =
  /^(?:BASH.*|COMP_.*|COLUMNS|COPROC|DIRSTACK|EPOCH.*|EUID|FUNCNAME|GROUPS|HISTCMD|HISTFILE.*|HISTSIZE|HOSTNAME|HOSTTYPE|LINENO|LINES|MACHTYPE|MAILCHECK|OLDPWD|OPTERR|OPTIND|OSTYPE|PATH|PIPESTATUS|PPID|PS[0-4]|PWD|RANDOM|READLINE.*|SECONDS|SHELLOPTS|SHLVL|SRANDOM|TERM|UID|_)$/;

/** What the shell of tier 0 starts with: the next shell has its own, unless a script changed it. */
const STARTS_WITH: Readonly<Record<string, string>> = {
  HOME: "'/home/user'",
  IFS: "$' \\t\\n'",
  LANG: "'C.UTF-8'",
  SHELL: "'/bin/bash'",
  USER: "'user'",
};

/** Directories that every shell has in its PATH, as far as it has them. */
const STANDARD_PATH = /^\/(?:usr\/(?:local\/)?)?s?bin$/;

const DECLARATION = /declare -([-a-zA-Z]+) ([A-Za-z_][A-Za-z0-9_]*)(?:(=)|\n|$)/y;
const DOUBLE_QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
const ANSI_QUOTED = /\$'(?:[^'\\]|\\[\s\S])*'/y;
const BARE_KEY = /[\w./:@%+,-]+/y;
const END = /\n|$/y;

/** Reads what `STATE_SCRIPT` printed; `null` for what it did not print. */
export function toHandedState(printed: string): HandedState | null {
  const divider = printed.lastIndexOf("\0");
  const cwd = printed.slice(divider + 1).replace(/\n$/, "");
  if (divider === -1 || !cwd.startsWith("/")) return null;
  const { variables, isComplete } = readDeclarations(printed.slice(0, divider));
  const lines: string[] = [];
  for (const [name, { flags, value }] of variables) {
    if (OWN.test(name) || STARTS_WITH[name] === value) continue;
    lines.push(assignment(name, flags, value));
  }
  for (const name of Object.keys(STARTS_WITH)) if (!variables.has(name)) lines.push(`unset -v ${name}`);
  lines.push(...pathLine(variables.get("PATH")?.value));
  // Last, for its status; it sets OLDPWD to where it came from.
  const before = variables.get("OLDPWD")?.value;
  lines.push(`cd -- ${quote(cwd)}${before === undefined || before === "" ? "" : ` && OLDPWD=${before}`}`);
  return { script: lines.join("\n"), isComplete };
}

interface Variable {
  readonly flags: string;
  /** Quoted; empty: declared without a value. */
  readonly value: string;
}

function readDeclarations(text: string): { variables: Map<string, Variable>; isComplete: boolean } {
  const variables = new Map<string, Variable>();
  let isComplete = true;
  for (let at = 0; at < text.length; ) {
    DECLARATION.lastIndex = at;
    const [whole = "", flags = "", name = "", equals] = DECLARATION.exec(text) ?? [];
    let end = at + whole.length;
    let value: string | null = "";
    if (equals !== undefined) {
      const read = readValue(text, end);
      value = read?.value ?? null;
      end = read?.end ?? end;
      END.lastIndex = end;
      if (!END.test(text)) value = null;
      end++;
    }
    if (whole !== "" && value !== null && value.length <= MAX_VALUE_LENGTH)
      variables.set(name, { flags, value });
    else if (whole !== "" && !OWN.test(name)) isComplete = false;
    // What is no declaration (a special parameter such as `?`) is passed over line by line.
    at = whole !== "" && value !== null ? end : nextLine(text, at);
  }
  return { variables, isComplete };
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

interface Read {
  readonly value: string;
  readonly end: number;
}

function readValue(text: string, at: number): Read | null {
  if (text[at] !== "(") return readQuoted(text, at);
  const elements: string[] = [];
  let end = at + 1;
  for (;;) {
    while (text[end] === " ") end++;
    if (text[end] === ")") return { value: `(${elements.join(" ")})`, end: end + 1 };
    if (text[end] !== "[") return null;
    const key = readQuoted(text, end + 1) ?? match(BARE_KEY, text, end + 1);
    if (key === null || !text.startsWith("]=", key.end)) return null;
    const value = readQuoted(text, key.end + 2);
    if (value === null) return null;
    elements.push(`[${key.value}]=${value.value}`);
    end = value.end;
  }
}

/** One quoted word. `$'…'` holds nothing that a shell would expand; the rest is quoted anew. */
function readQuoted(text: string, at: number): Read | null {
  const ansi = match(ANSI_QUOTED, text, at);
  if (ansi !== null) return ansi;
  const double = match(DOUBLE_QUOTED, text, at);
  if (double === null) return null;
  const inner = double.value
    .slice(1, -1)
    .replace(/\\([\\"$`\n])/g, (_, one: string) => (one === "\n" ? "" : one));
  return { value: quote(inner), end: double.end };
}

function match(pattern: RegExp, text: string, at: number): Read | null {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found === null ? null : { value: found[0], end: at + found[0].length };
}

/** Plain ones as every shell takes them; `-g`, for a shell that runs scripts inside a function. */
function assignment(name: string, flags: string, value: string): string {
  const set = value === "" ? name : `${name}=${value}`;
  if (flags === "-" && value !== "") return set;
  if (flags === "x") return `export ${set}`;
  return `declare -g${flags === "-" ? "" : flags} ${set}`;
}

/** What a script added to PATH, around the PATH that the next shell has. */
function pathLine(value: string | undefined): string[] {
  const entries = /^'([^']*)'$/.exec(value ?? "")?.[1]?.split(":") ?? [];
  const isAdded = (entry: string): boolean => !STANDARD_PATH.test(entry);
  const first = entries.findIndex((entry) => !isAdded(entry));
  const front = (first === -1 ? entries : entries.slice(0, first)).filter(isAdded);
  const back = first === -1 ? [] : entries.slice(first).filter(isAdded);
  if (front.length === 0 && back.length === 0) return [];
  const parts = [...front.map(quote), '"$PATH"', ...back.map(quote)];
  return [`export PATH=${parts.join(":")}`];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
