/** Programs that run what their arguments name: which argument is a command, which one a script. */
import { MANY, UNKNOWN } from "./shell-state.ts";

/** A field of a command. */
export interface Field {
  readonly text: string;
  /** Where its word stands in the script. */
  readonly at: number;
  /** What a file holds that is named by `<(…)`, where that is certain. */
  readonly content?: string;
}

/** What a program runs. */
export type Runs =
  | { readonly command: readonly Field[] }
  | {
      readonly script: string;
      readonly at: number;
      readonly positional: readonly string[] | null;
      /** `$0`, where it is given. */
      readonly zero?: string;
    };

/** Options of programs that take a value: letters, and long names. What is not here takes none. */
const WITH_VALUE: Readonly<Record<string, readonly [letters: string, names: string]>> = {
  env: ["uCS", "unset chdir split-string"],
  timeout: ["ks", "kill-after signal"],
  nice: ["n", "adjustment"],
  ionice: ["cnpP", "class classdata"],
  stdbuf: ["ioe", "input output error"],
  setsid: ["", ""],
  nohup: ["", ""],
  time: ["fo", "format output"],
  sudo: ["ugpCThrtRDU", "user group prompt host chdir"],
  doas: ["uC", ""],
  watch: ["n", "interval"],
  flock: ["wEc", "wait timeout conflict-exit-code command"],
  parallel: ["jNnaLPISdC", "jobs max-procs arg-file delay timeout joblog results retries max-args colsep"],
  xargs: ["aEeIiLlnPsd", "arg-file delimiter max-lines max-args max-procs max-chars replace eof"],
  unbuffer: ["", ""],
  fakeroot: ["", ""],
  "xvfb-run": ["enspw", ""],
};

/** Letters of `xargs` whose value can only be attached. */
const ATTACHED_ONLY: Readonly<Record<string, string>> = { xargs: "eil" };

/**
 * What `argv` runs besides itself. `stdin` is the text that it reads, where that is certain.
 * Nothing for a program that runs nothing, and where only run time can tell.
 */
export function whatItRuns(argv: readonly Field[], stdin: string | null): readonly Runs[] {
  const [name, ...args] = argv;
  if (name === undefined) return [];
  switch (name.text) {
    case "bash":
    case "sh":
    case "dash":
      return shell(name, args, stdin);
    case "env":
      return environment(args);
    case "xargs":
      return xargs(args);
    case "find":
      return find(args);
    case "timeout":
      return command(args, operandsAt("timeout", args) + 1);
    case "flock":
      return flock(args);
    case "sudo":
      return command(args, skipAssignments(args, operandsAt("sudo", args)));
    case "watch":
    case "parallel":
      return joined(args, operandsAt(name.text, args));
    case "su":
      return afterOption(args, "-c");
    case "script":
      return afterOption(args, "-c");
    default:
      return Object.hasOwn(WITH_VALUE, name.text) ? command(args, operandsAt(name.text, args)) : [];
  }
}

/** Where the first operand stands; behind the last argument where that is not certain. */
function operandsAt(program: string, args: readonly Field[]): number {
  const [letters, names] = WITH_VALUE[program] ?? ["", ""];
  const attachedOnly = ATTACHED_ONLY[program] ?? "";
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]?.text ?? "";
    // Of an unquoted variable in place of the one operand of `timeout`, one field is what is meant.
    if (arg === MANY) return program === "timeout" ? at : args.length;
    if (arg === "--") return at + 1;
    if (!arg.startsWith("-") || (arg === "-" && program !== "env")) return at;
    if (arg.startsWith("--")) {
      if (!arg.includes("=") && names.split(" ").includes(arg.slice(2))) at++;
      continue;
    }
    const taking = [...arg.slice(1)].findIndex((letter) => letters.includes(letter));
    if (taking !== -1 && taking === arg.length - 2 && !attachedOnly.includes(arg.at(-1) ?? "")) at++;
  }
  return args.length;
}

function command(args: readonly Field[], from: number): readonly Runs[] {
  const rest = args.slice(from);
  return rest.length === 0 ? [] : [{ command: rest }];
}

/** The arguments from `from` on are given to `sh -c` with blanks between them. */
function joined(args: readonly Field[], from: number): readonly Runs[] {
  const end = args.findIndex(({ text }) => /^:{3,4}\+?$/.test(text));
  const rest = args.slice(from, end === -1 ? args.length : end);
  return scriptOf(rest);
}

function scriptOf(fields: readonly Field[]): readonly Runs[] {
  const [first] = fields;
  if (first === undefined) return [];
  const script = fields.map(({ text }) => text.replaceAll(MANY, UNKNOWN)).join(" ");
  return [{ script, at: first.at, positional: null }];
}

function shell(name: Field, args: readonly Field[], stdin: string | null): readonly Runs[] {
  let isString = false;
  let isStdin = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at]?.text ?? "";
    if (arg === MANY) return [];
    if (arg === "--" || arg === "-") {
      at++;
      break;
    }
    if (arg === "--rcfile" || arg === "--init-file") at++;
    else if (arg.startsWith("--")) continue;
    else if (/^[-+]./.test(arg)) {
      const letters = arg.slice(1);
      isString ||= letters.includes("c");
      isStdin ||= letters.includes("s");
      at += letters.match(/[oO]/g)?.length ?? 0;
    } else break;
  }
  const [first, ...rest] = args.slice(at);
  const texts = rest.map(({ text }) => text);
  if (isString) {
    if (first === undefined || first.text === MANY) return [];
    return [
      {
        script: first.text,
        at: first.at,
        positional: texts.slice(1),
        ...(texts[0] === undefined ? {} : { zero: texts[0] }),
      },
    ];
  }
  if (first === undefined || isStdin) {
    const positional = args.slice(at).map(({ text }) => text);
    return stdin === null ? [] : [{ script: stdin, at: name.at, positional }];
  }
  const content = first.content ?? (/^\/dev\/(?:stdin|fd\/0)$/.test(first.text) ? stdin : null);
  return content === null ? [] : [{ script: content, at: first.at, positional: texts }];
}

function environment(args: readonly Field[]): readonly Runs[] {
  const split = args.findIndex(({ text }) => /^(?:-[i0v]*S|--split-string(?:=|$))/.test(text));
  if (split !== -1 && split <= operandsAt("env", args)) {
    const option = args[split];
    const attached = option?.text.replace(/^(?:-[i0v]*S|--split-string=?)/, "") ?? "";
    const value = attached === "" ? args[split + 1] : option;
    if (value === undefined) return [];
    const words = (attached === "" ? value.text : attached).split(/\s+/).filter((word) => word !== "");
    const fields = words.map((text) => ({ text, at: value.at }));
    const all = [...fields, ...args.slice(split + (attached === "" ? 2 : 1))];
    return command(all, skipAssignments(all, operandsAt("env", all)));
  }
  return command(args, skipAssignments(args, operandsAt("env", args)));
}

function skipAssignments(args: readonly Field[], from: number): number {
  let at = from;
  while (/^[^=\uE001]+=/.test(args[at]?.text ?? "")) at++;
  return at;
}

function xargs(args: readonly Field[]): readonly Runs[] {
  const from = operandsAt("xargs", args);
  const options = args.slice(0, from).map(({ text }) => text);
  const at = options.findIndex((option) => /^-[0rtpx]*[Ii]/.test(option) || option.startsWith("--replace"));
  const [rest] = command(args, from);
  if (rest === undefined || !("command" in rest)) return [];
  if (at === -1) return [{ command: [...rest.command, { text: MANY, at: args[from]?.at ?? 0 }] }];
  const mark = /^(?:-[0rtpx]*[Ii]|--replace=)(.+)$/.exec(options[at] ?? "")?.[1];
  const isNext = /^-[0rtpx]*I$/.test(options[at] ?? "");
  return [{ command: withUnknown(rest.command, mark ?? (isNext ? options[at + 1] : undefined) ?? "{}") }];
}

function withUnknown(fields: readonly Field[], mark: string): readonly Field[] {
  return fields.map((field) => ({ ...field, text: field.text.replaceAll(mark, UNKNOWN) }));
}

function find(args: readonly Field[]): readonly Runs[] {
  return args.flatMap(({ text }, at): readonly Runs[] => {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(text)) return [];
    const rest = args.slice(at + 1);
    const end = rest.findIndex(
      (arg, index) => arg.text === ";" || (arg.text === "+" && rest[index - 1]?.text === "{}"),
    );
    return command(withUnknown(end === -1 ? rest : rest.slice(0, end), "{}"), 0);
  });
}

function flock(args: readonly Field[]): readonly Runs[] {
  const script = afterOption(args, "-c");
  return script.length > 0 ? script : command(args, operandsAt("flock", args) + 1);
}

function afterOption(args: readonly Field[], option: string): readonly Runs[] {
  const at = args.findIndex(({ text }) => text === option);
  return at === -1 ? [] : scriptOf(args.slice(at + 1, at + 2));
}

/** The module that `python3 -m` starts, and where its name stands. */
export function pythonModule(args: readonly Field[]): Field | null {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === undefined || !/^-[A-Za-z]/.test(arg.text)) return null;
    const [, letters = "", value = ""] = /^-([A-Za-ln-z]*)m(.*)$/s.exec(arg.text) ?? [];
    if (/[cWX]/.test(letters)) return null;
    if (/^-[A-Za-ln-z]*m/.test(arg.text))
      return value === "" ? (args[at + 1] ?? null) : { ...arg, text: value };
    if (/c/.test(arg.text)) return null;
    if (/[WX]$/.test(arg.text)) at++;
  }
  return null;
}
