/** One simple command: what it is, once its words are expanded, and what it does to what is certain about the shell. */
import type { SimpleCommandNode, WordNode } from "../engine/parse-script.ts";
import { certainFields, expandFields, expandText } from "./expand-word.ts";
import { inputOf, outputOfScript } from "./literal-output.ts";
import { whyPythonModule, whyTierOne } from "./rules.ts";
import { assignWord, isAssigning, setVariables } from "./set-variables.ts";
import { MANY, MOST_ITEMS, type ShellState, UNKNOWN } from "./shell-state.ts";
import { MOST_DEPTH, type ScriptWalk } from "./walk-script.ts";
import { type Field, pythonModule, whatItRuns } from "./wrapped-command.ts";

/** How a command is looked up: `command` passes over functions, a program that runs another one over builtins too. */
type Lookup = "shell" | "command" | "program";

const MOST_FOUND = 1_000;

/** Folders that hold programs of the machine, of an environment or of a package, never those of the script. */
const PROGRAM_FOLDER =
  /^(?:\/(?:usr\/(?:local\/)?)?s?bin|\/opt\/.*\/s?bin|\/snap\/bin|.*\/?node_modules\/\.bin|.*\/?\.?v?env\/bin|.*\/\.(?:cargo|local|bun|deno|rbenv\/shims|pyenv\/shims|nvm\/.*|npm-global|dotnet|go)(?:\/bin)?|.*\/go\/bin)$/;
/** Scripts of a project that start what tier 0 does not have. */
const PROJECT_SCRIPT = /^(?:gradlew|mvnw)$/;

export class SimpleCommands {
  readonly #walk: ScriptWalk;

  constructor(walk: ScriptWalk) {
    this.#walk = walk;
  }

  /** Says whether what follows is reached. */
  run(command: SimpleCommandNode, state: ShellState, piped: string | null): boolean {
    const walk = this.#walk;
    const { name, args, assignments, redirections } = command;
    walk.words(assignments, state);
    walk.words(name, state);
    walk.words(args, state);
    for (const { operator, target } of redirections) {
      walk.words(target, state);
      if (operator.includes(">") && target.type === "Word") this.#makes(target, state);
    }
    if (name === null) {
      for (const assignment of assignments) assignWord(assignment, state);
      return true;
    }
    const at = walk.placeOf(name);
    const stdin = inputOf(command, state, piped);
    const scope = assignments.length === 0 ? state : state.fork();
    const rest = this.#fields(args, state, at);
    const alternatives = this.#alternatives(name, state, at);
    for (const assignment of assignments) {
      assignWord(assignment, scope);
      scope.exported.set(assignment.name, true);
    }
    const [only, ...others] = alternatives;
    if (only !== undefined && others.length === 0) {
      const argv = [...this.#unalias(name, only, state), ...rest];
      if (isAssigning(argv[0]?.text ?? "")) setVariables(argv[0]?.text ?? "", args, state);
      const isReached = this.#call(argv, scope, stdin, "shell");
      if (scope !== state) keepFunctions(state, scope);
      return isReached;
    }
    // One that may be this or that needs a higher tier when either does.
    const before = walk.found.length;
    const isNeeded = alternatives.every((fields) => {
      const count = walk.found.length;
      this.#call([...fields, ...rest], scope.fork(), stdin, "shell");
      return walk.found.length > count;
    });
    if (!isNeeded) walk.found.length = before;
    return true;
  }

  #alternatives(name: WordNode, state: ShellState, at: number): ReadonlyArray<readonly Field[]> {
    return expandFields(name, state, outputOfScript(state)).map((fields) =>
      fields.map((known) => ({ text: known, at })),
    );
  }

  #fields(words: readonly WordNode[], state: ShellState, near: number): Field[] {
    const outputOf = outputOfScript(state);
    return words.flatMap((word): Field[] => {
      const at = this.#walk.placeOf(word, near);
      const [part] = word.parts;
      const fields = certainFields(word, state, outputOf);
      if (word.parts.length === 1 && part?.type === "ProcessSubstitution") {
        const content = outputOf(part.body);
        if (content !== null) return [{ text: UNKNOWN, at, content }];
      }
      return fields.map((known) => ({ text: known, at }));
    });
  }

  /** Files of the names of programs: stand-ins, as tests of scripts use them. */
  #makes(target: WordNode, state: ShellState): void {
    for (const path of expandText(target, state, outputOfScript(state)))
      this.#walk.made.add(path.slice(path.lastIndexOf("/") + 1));
  }

  /** Aliases stand for words without quotes only, and not for themselves. */
  #unalias(name: WordNode, fields: readonly Field[], state: ShellState): readonly Field[] {
    const [part] = name.parts;
    const [first] = fields;
    if (name.parts.length !== 1 || part?.type !== "Literal" || first === undefined) return fields;
    const seen = new Set<string>();
    let known: readonly Field[] = fields;
    for (let word = part.value; ; ) {
      const value = seen.has(word) ? undefined : state.aliases.get(word);
      if (value === undefined) return known;
      seen.add(word);
      // More than one command: the whole text is looked at, and its last command is what the arguments belong to.
      if (/[;&|()`$<>\n]/.test(value)) {
        this.#walk.nested(value, first.at, state);
        return [];
      }
      const words = value.split(/[ \t]+/).filter((piece) => piece !== "");
      known = [
        ...words.map((piece) => ({ text: piece.replace(/["'\\]/g, ""), at: first.at })),
        ...known.slice(1),
      ];
      word = words[0] ?? "";
    }
  }

  #call(argv: readonly Field[], state: ShellState, stdin: string | null, lookup: Lookup): boolean {
    const walk = this.#walk;
    const [name, ...args] = argv;
    if (name === undefined || name.text === MANY || walk.depth >= MOST_DEPTH) return true;
    walk.depth++;
    const isReached = this.#lookUp(name, args, state, stdin, lookup);
    walk.depth--;
    return isReached;
  }

  #lookUp(
    name: Field,
    args: readonly Field[],
    state: ShellState,
    stdin: string | null,
    lookup: Lookup,
  ): boolean {
    if (lookup === "shell") {
      const bodies = state.functions.get(name.text);
      if (bodies !== undefined) {
        this.#callFunction(name.text, args, state, stdin);
        return true;
      }
    }
    if (lookup !== "program") {
      const isReached = this.#builtin(name, args, state, stdin);
      if (isReached !== null) return isReached;
    }
    const program = this.#program(name, state);
    if (program === null) return true;
    this.#report({ text: program, at: name.at });
    const module = /^python[\d.]*$/.test(program) ? pythonModule(args) : null;
    const why = module === null ? null : whyPythonModule(module.text);
    if (module !== null && why !== null) this.#find(module.text, why, module.at);
    for (const runs of whatItRuns([{ ...name, text: program }, ...args], stdin)) {
      if ("command" in runs) this.#call(runs.command, state.child(null), null, "program");
      else this.#walk.nested(runs.script, runs.at, state.child(runs.positional, runs.zero));
    }
    return true;
  }

  /** The name by which a program is known, or null for what may be any file. */
  #program(name: Field, state: ShellState): string | null {
    const slash = name.text.lastIndexOf("/");
    const base = name.text.slice(slash + 1);
    if (base === "" || base.includes(UNKNOWN)) return null;
    const { made } = this.#walk;
    if (slash === -1) return state.setsPath && made.has(base) ? null : base;
    if (made.has(base)) return null;
    return PROJECT_SCRIPT.test(base) || PROGRAM_FOLDER.test(name.text.slice(0, slash)) ? base : null;
  }

  /** Null: the name is none of a builtin that matters here. */
  #builtin(name: Field, args: readonly Field[], state: ShellState, stdin: string | null): boolean | null {
    const walk = this.#walk;
    const [first] = args;
    switch (name.text) {
      case "command": {
        const from = args.findIndex(({ text }) => text !== "-p" && text !== "--");
        const rest = from === -1 ? [] : args.slice(from);
        return /^-p?[vV]/.test(rest[0]?.text ?? "") || this.#call(rest, state, stdin, "command");
      }
      case "builtin":
        // What is no builtin is not found.
        if (first !== undefined && first.text !== "builtin")
          this.#builtin(first, args.slice(1), state, stdin);
        return true;
      case "exec": {
        let from = 0;
        for (; /^-[cla]+$/.test(args[from]?.text ?? ""); from++) if (args[from]?.text.endsWith("a")) from++;
        const rest = args.slice(args[from]?.text === "--" ? from + 1 : from);
        this.#call(rest, state, stdin, "program");
        return rest.length === 0;
      }
      case "eval":
        if (first !== undefined) walk.nested(joinFields(args), first.at, state);
        return true;
      case ".":
      case "source": {
        const content = first?.content ?? (first?.text === "/dev/stdin" ? stdin : null);
        if (first !== undefined && content !== null) walk.nested(content, first.at, state);
        else state.isOpaque = true;
        return true;
      }
      case "trap": {
        const [action, signal] = first?.text === "--" ? args.slice(1) : args;
        if (action !== undefined && signal !== undefined && !/^-[lp]?$/.test(action.text))
          walk.nested(action.text.replaceAll(MANY, UNKNOWN), action.at, state.fork());
        return true;
      }
      case "alias":
        for (const { text: known } of args) {
          const [, alias, value] = /^([^=]+)=(.*)$/s.exec(known) ?? [];
          if (alias !== undefined && value !== undefined && !value.includes(UNKNOWN))
            state.aliases.set(alias, value);
        }
        return true;
      case "unalias":
        for (const { text: known } of args) state.aliases.delete(known);
        if (first?.text === "-a") state.aliases.clear();
        return true;
      case "unset":
        for (const { text: known } of args)
          if (first?.text === "-f" || !state.variables.has(known)) state.functions.delete(known);
        state.touch();
        return true;
      case "export":
        if (first?.text === "-f")
          for (const { text: known } of args) state.exportedFunctions.set(known, true);
        return true;
      case "set": {
        const from = args.findIndex(({ text: known }) => known === "--" || !/^[-+]/.test(known));
        if (from === -1) return true;
        const isOption = /^[-+]o$/.test(args[from - 1]?.text ?? "");
        const rest = args.slice(args[from]?.text === "--" || isOption ? from + 1 : from);
        if (rest.length > 0 || args[from]?.text === "--")
          state.setPositional(rest.map(({ text: known }) => known));
        state.touch();
        return true;
      }
      case "shift": {
        const count = Number(first?.text ?? 1);
        const kept = state.positional;
        state.positional =
          kept === null || Number.isNaN(count) || kept.slice(0, count).includes(MANY)
            ? null
            : kept.slice(count);
        state.touch();
        return true;
      }
      case "exit":
        return false;
      case "hash":
      case "type":
        return true;
      default:
        return null;
    }
  }

  #callFunction(name: string, args: readonly Field[], state: ShellState, stdin: string | null): void {
    const walk = this.#walk;
    const texts = args.map(({ text: known }) => known);
    for (const body of state.functions.get(name) ?? []) {
      const call = [name, state.version, walk.fixedAt ?? "", ...texts.slice(0, MOST_ITEMS)].join("\0");
      if (walk.followed.has(call)) continue;
      walk.followed.add(call);
      const { positional } = state;
      state.setPositional(texts);
      for (const { target } of body.redirections) walk.words(target, state);
      walk.command(body.body, state, stdin);
      state.positional = positional;
    }
  }

  #report({ text: name, at }: Field): void {
    const why = whyTierOne(name);
    if (why !== null) this.#find(name, why, at);
  }

  #find(command: string, why: string, at: number): void {
    const { found } = this.#walk;
    if (found.length < MOST_FOUND || found.every((one) => one.command !== command))
      found.push({ command, why, at });
  }
}

function joinFields(fields: readonly Field[]): string {
  return fields.map(({ text: known }) => known.replaceAll(MANY, UNKNOWN)).join(" ");
}

/** Variables in front of a command are its own; what it defines is the shell's. */
function keepFunctions(state: ShellState, scope: ShellState): void {
  state.functions = scope.functions.fork();
  state.aliases = scope.aliases.fork();
}
