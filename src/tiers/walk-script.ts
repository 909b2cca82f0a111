/**
 * Goes through a parsed script in the order in which a shell would run it, both ways at each branch, and notes every
 * command that needs a higher tier. It keeps what is certain about variables and functions (`shell-state.ts`), so
 * that `g=git; $g log` is a call of git and `git() { …; }; git log` is none.
 */
import type {
  CommandNode,
  ScriptNode,
  ScriptParser,
  StatementNode,
  WordNode,
} from "../engine/parse-script.ts";
import { assignedNames } from "./assigned-names.ts";
import { certainFields } from "./expand-word.ts";
import { outputOfCommand, outputOfScript } from "./literal-output.ts";
import { MANY, ShellState, text, UNKNOWN_VALUE } from "./shell-state.ts";
import { SimpleCommands } from "./simple-command.ts";
import { isReadable, spend } from "./work-budget.ts";

/** A command that needs a higher tier. */
export interface Found {
  readonly command: string;
  readonly why: string;
  /** Offset in the script. */
  readonly at: number;
}

/** Commands looked at, those of a function once for each call: bounds scripts whose functions call each other. */
const MOST_COMMANDS = 60_000;
/** Characters of text that is a script inside the script. */
const MOST_NESTED_TEXT = 4_000_000;
/** Calls, programs that run programs, and scripts inside scripts, together. */
export const MOST_DEPTH = 40;
/** Values that a `for` is followed with; the first of more stand for all. */
const MOST_TURNS = 64;

type Loop = Extract<CommandNode, { type: "For" | "CStyleFor" | "While" | "Until" }>;

export class ScriptWalk {
  readonly parser: ScriptParser;
  readonly found: Found[] = [];
  /** Names of files that the script writes: a command of that name may be the script's own. */
  readonly made = new Set<string>();
  /** Calls of functions that were followed, each with what was certain when it was called. */
  readonly followed = new Set<string>();
  /** Of what is inside literal text all stands where that text stands. */
  fixedAt: number | null = null;
  depth = 0;
  readonly #simple = new SimpleCommands(this);
  #commands = 0;
  #nestedText = 0;

  constructor(parser: ScriptParser) {
    this.parser = parser;
  }

  /** @throws Error where the engine would refuse the script. */
  run(script: string): void {
    this.list(this.parser.parse(script).statements, new ShellState());
  }

  /** Where a word stands. */
  placeOf(word: (WordNode & { at?: number }) | null, otherwise = 0): number {
    return this.fixedAt ?? word?.at ?? otherwise;
  }

  /** A script that is text inside this one. What does not parse is left to the shell that would run it. */
  nested(script: string, at: number, state: ShellState): void {
    const parsed = this.#parseInner(script, () => this.parser.parse(script));
    if (parsed !== null) this.#inside(at, () => this.list(parsed.statements, state));
  }

  /** Null for what does not parse, which a shell refuses too, and for what costs too much. */
  #parseInner<T>(source: string, parse: () => T): T | null {
    spend(source.length * 16);
    if (!isReadable(source)) return null;
    this.#nestedText += source.length;
    if (this.depth >= MOST_DEPTH || this.#nestedText > MOST_NESTED_TEXT) return null;
    try {
      return parse();
    } catch {
      // No script or word after all.
      return null;
    }
  }

  /** Walks what is text at one place of the script. */
  #inside(at: number, walk: () => void): void {
    const outer = this.fixedAt;
    this.fixedAt = at;
    this.depth++;
    walk();
    this.depth--;
    this.fixedAt = outer;
  }

  /** Says whether what follows the list is reached. */
  list(statements: readonly StatementNode[], state: ShellState): boolean {
    for (const statement of statements) {
      if (statement.deferredError !== undefined) return false;
      if (!this.#statement(statement, state)) return false;
    }
    return true;
  }

  #statement({ pipelines, background }: StatementNode, state: ShellState): boolean {
    const own = background ? state.fork() : state;
    let goesOn = true;
    for (const [at, { commands }] of pipelines.entries()) {
      const branch = at === 0 ? own : own.fork();
      const [only, ...others] = commands;
      if (only !== undefined && others.length === 0) {
        const isReached = this.command(only, branch, null);
        if (at === 0 && !background) goesOn = isReached;
      } else {
        let stdin: string | null = null;
        for (const part of commands) {
          const inPipe = branch.fork();
          const output = outputOfCommand(part, inPipe, stdin);
          this.command(part, inPipe, stdin);
          stdin = output;
        }
      }
      if (at > 0) own.join([own, branch]);
      if (!goesOn) return false;
    }
    return true;
  }

  /** `stdin`: what the command reads, where that is certain. Says whether what follows is reached. */
  command(command: CommandNode, state: ShellState, stdin: string | null): boolean {
    spend();
    if (++this.#commands > MOST_COMMANDS) return false;
    if (command.type === "SimpleCommand") return this.#simple.run(command, state, stdin);
    if (command.type === "FunctionDef") {
      state.define(command);
      return true;
    }
    for (const { target } of command.redirections) this.words(target, state);
    switch (command.type) {
      case "If": {
        const ends: ShellState[] = [];
        for (const { condition, body } of command.clauses) {
          this.list(condition, state);
          ends.push(this.#branch(body, state));
        }
        ends.push(command.elseBody === null ? state.fork() : this.#branch(command.elseBody, state));
        state.join(ends);
        return true;
      }
      case "Case": {
        this.words(command.word, state);
        const ends = command.items.map(({ patterns, body }) => {
          for (const pattern of patterns) this.words(pattern, state);
          return this.#branch(body, state);
        });
        state.join([...ends, state.fork()]);
        return true;
      }
      case "Subshell":
        this.list(command.body, state.fork());
        return true;
      case "Group":
        return this.list(command.body, state);
      case "ArithmeticCommand":
      case "ConditionalCommand":
        this.words(command.expression, state);
        return true;
      default:
        this.#loop(command, state);
        return true;
    }
  }

  #branch(body: readonly StatementNode[], state: ShellState): ShellState {
    const branch = state.fork();
    this.list(body, branch);
    return branch;
  }

  #loop(command: Loop, state: ShellState): void {
    const before = state.fork();
    // In a second turn they are what the first has made of them.
    for (const name of assignedNames(command.body))
      if (state.variables.has(name)) state.assign(name, UNKNOWN_VALUE);
    if (command.type === "For") {
      for (const word of command.words ?? []) this.words(word, state);
      for (const value of this.#valuesOf(command.words, state)) {
        const turn = state.fork();
        turn.assign(command.variable, value === null ? UNKNOWN_VALUE : text(value));
        this.list(command.body, turn);
        state.join([state, turn]);
      }
    } else {
      if (command.type === "CStyleFor")
        for (const part of [command.init, command.condition, command.update]) this.words(part, state);
      else this.list(command.condition, state);
      const turn = state.fork();
      this.list(command.body, turn);
      state.join([state, turn]);
    }
    state.join([before, state.fork()]);
  }

  #valuesOf(words: readonly WordNode[] | null, state: ShellState): ReadonlyArray<string | null> {
    const outputOf = outputOfScript(state);
    const fields =
      words === null
        ? (state.positional ?? [MANY])
        : words.flatMap((word) => certainFields(word, state, outputOf));
    return fields.slice(0, MOST_TURNS).map((field) => (field === MANY ? null : field));
  }

  /** The commands in the substitutions of a word, or of anything else that holds words. */
  words(node: unknown, state: ShellState): void {
    if (typeof node === "string") this.#text(node, state);
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) {
      for (const item of node) this.words(item, state);
      return;
    }
    const fields = node as Record<string, unknown>;
    const outer = this.fixedAt;
    switch (fields.type) {
      case "CommandSubstitution":
      case "ProcessSubstitution":
        this.list((fields.body as ScriptNode).statements, state.fork());
        return;
      case "SingleQuoted":
      case "Literal":
      case "Escaped":
        return;
      case "ArithmeticExpression":
        this.#text((fields.expression as { text?: string }).text ?? fields.originalText, state);
        return;
      case "HereDoc":
        if (fields.quoted !== true) this.words(fields.content, state);
        return;
      case "Word":
        // What stands in the text of an arithmetic expression or a subscript is as good as at the word.
        if (outer === null && typeof fields.at === "number") this.#near = fields.at;
    }
    for (const key in fields) if (key !== "type") this.words(fields[key], state);
  }

  #near = 0;

  /** Text that the parser leaves for later: an arithmetic expression, a subscript, a pattern. */
  #text(source: unknown, state: ShellState): void {
    if (typeof source !== "string" || !/\$\(|`/.test(source)) return;
    const word = this.#parseInner(source, () =>
      // Signs of a pattern would keep what stands in its parentheses as one text.
      this.parser.parseText(source.replace(/[@*+?!](?=\()/g, " ")),
    );
    if (word !== null) this.#inside(this.fixedAt ?? this.#near, () => this.words(word, state));
  }
}
