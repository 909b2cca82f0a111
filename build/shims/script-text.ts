/**
 * What the engine runs when a script is called by its path. It takes every file for bash, whatever the first line
 * says; here a `#!` of another interpreter becomes a call of that command, and what is no text is refused.
 */
const SHELLS = new Set(["sh", "bash", "dash"]);

/** Interpreters that have another name here. */
const ALIASES: Readonly<Record<string, string>> = { node: "js-exec", python: "python3" };

/** Bash text that does what the file at `path` is meant to do. */
export function scriptText(text: string, path: string): string {
  if (/^\x7fELF/.test(text) || text.slice(0, 256).split("\n", 1)[0]?.includes("\0")) {
    return refusal(path, "cannot execute binary file: Exec format error", 126);
  }
  const line = /^#![ \t]*([^\n]*)/.exec(text)?.[1]?.trim();
  if (line === undefined || line === "") return text;
  const [file = "", ...rest] = line.split(/[ \t]+/);
  let name = file.split("/").pop() ?? "";
  let args = rest;
  if (name === "env") {
    if (args[0] === "-S") args = args.slice(1);
    [name = "", ...args] = args;
  }
  if (SHELLS.has(name)) {
    const options = args.filter((arg) => /^-[a-z]+$/.test(arg));
    return options.length === 0 ? text : text.replace(/^[^\n]*/, `set ${options.join(" ")}`);
  }
  if (!isName(name) || (!/^\/(usr\/)?(local\/)?bin\//.test(file) && !isName(file))) {
    return refusal(path, "cannot execute: required file not found", 127);
  }
  return [ALIASES[name] ?? name, ...args.map(quote), quote(path), '"$@"'].join(" ");
}

function refusal(path: string, why: string, status: number): string {
  return `command printf 'bash: %s: %s\\n' ${quote(path)} ${quote(why)} >&2; exit ${status}`;
}

function isName(name: string): boolean {
  return /^[\w.+-]+$/.test(name);
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
