/** The command line of `jq`: letters in groups, options with one or two values, the filter, then files. */

/** What a call asks for. */
export interface JqCall {
  /** Options that jq itself is given. */
  readonly flags: readonly string[];
  readonly filter: string | null;
  readonly filterFile: string | null;
  readonly files: readonly string[];
  readonly named: readonly JqNamed[];
  readonly positional: readonly { readonly text: string; readonly isJson: boolean }[];
  readonly raw: boolean;
  readonly nullInput: boolean;
  readonly wants: "run" | "help" | "version";
}

/** `--arg`, `--argjson`, `--slurpfile`, `--rawfile`. */
export interface JqNamed {
  readonly kind: "arg" | "argjson" | "slurpfile" | "rawfile";
  readonly name: string;
  readonly value: string;
}

/** Long option → the letter that means the same. */
const LETTERS: Readonly<Record<string, string>> = {
  "null-input": "n",
  "raw-input": "R",
  slurp: "s",
  "compact-output": "c",
  "raw-output": "r",
  "join-output": "j",
  "ascii-output": "a",
  "sort-keys": "S",
  "color-output": "C",
  "monochrome-output": "M",
  "exit-status": "e",
  help: "h",
  version: "V",
  "from-file": "f",
  "library-path": "L",
  tab: "",
  stream: "",
  "stream-errors": "",
  seq: "",
  unbuffered: "",
  "raw-output0": "",
};

/** The call, or what is wrong with it. */
export function parseJqArguments(args: readonly string[]): JqCall | string {
  const flags: string[] = [];
  const named: JqNamed[] = [];
  const positional: { text: string; isJson: boolean }[] = [];
  const files: string[] = [];
  let filter: string | null = null;
  let filterFile: string | null = null;
  let wants: JqCall["wants"] = "run";
  let rest: "files" | "args" | "jsonargs" = "files";
  let [raw, nullInput, optionsEnded] = [false, false, false];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (optionsEnded || !arg.startsWith("-") || arg === "-") {
      if (filter === null && filterFile === null) filter = arg;
      else if (rest === "files") files.push(arg);
      else positional.push({ text: arg, isJson: rest === "jsonargs" });
      continue;
    }
    if (arg === "--") {
      optionsEnded = true;
      continue;
    }
    if (arg === "--args" || arg === "--jsonargs") {
      rest = arg === "--args" ? "args" : "jsonargs";
      continue;
    }
    const kind = /^--(arg|argjson|slurpfile|rawfile)$/.exec(arg)?.[1] as JqNamed["kind"] | undefined;
    if (kind !== undefined) {
      const [name, value] = [args[++at], args[++at]];
      if (name === undefined || value === undefined)
        return `${arg} takes two parameters (e.g. ${arg} name value)`;
      named.push({ kind, name, value });
      continue;
    }
    if (arg === "--indent") {
      const width = args[++at];
      if (width === undefined) return "--indent takes one parameter";
      if (!/^\d+$/.test(width)) return "--indent takes a number";
      if (Number(width) > 7) return "Cannot indent more than 7 characters";
      flags.push("--indent", width);
      continue;
    }
    const long = arg.startsWith("--") ? LETTERS[arg.slice(2)] : undefined;
    if (arg.startsWith("--") && long === undefined) return `Unknown arguments: ${arg}`;
    if (long === "") {
      flags.push(arg);
      continue;
    }
    for (const letter of long ?? arg.slice(1)) {
      if (letter === "h") wants = "help";
      else if (letter === "V") wants = "version";
      else if (letter === "f") {
        // Of the words without a dash the first is then a file of input.
        const file: string | undefined = filter ?? args[++at];
        if (file === undefined) return "-f takes a parameter (e.g. -f file.jq)";
        filterFile = file;
        filter = null;
      } else if (letter === "L") at++;
      else if ("nRscrjaSCMe".includes(letter)) {
        flags.push(`-${letter}`);
        raw ||= letter === "R";
        nullInput ||= letter === "n";
      } else return `Unknown arguments: ${arg}`;
    }
  }
  return { flags, filter, filterFile, files, named, positional, raw, nullInput, wants };
}
