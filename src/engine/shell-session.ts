/**
 * One shell that stays. The engine's `exec()` forgets cwd, variables, arrays, functions and aliases when it
 * returns, so one `exec()` runs for as long as the shell lives: its script is a generator of statements that
 * asks for the guest's next script, runs it, and tells how it ended, by steps of our own and devices of our file
 * system. No state is copied or parsed again between scripts, and output streams as commands finish.
 *
 * It relies on the interpreter taking `statements` one by one; `test/canary/engine.test.ts` tells when it stops to.
 * Longer than most files because the devices, the generator and the task share one state; their parts lie beside.
 */

import { type Bash, type IFileSystem, parse, type ScriptNode, type StatementNode } from "just-bash";
import { tellThrown } from "../shared/redact.ts";
import { escapeStrayBytes, unescapeStrayBytes } from "../workspace/stray-bytes.ts";
import { buildBash } from "./build-bash.ts";
import type { InterpreterState } from "./control/interpreter.ts";
import { quietStep } from "./control/session-step.ts";
import { mendErrorText } from "./error-text.ts";
import { functionsWithoutExec } from "./live-output.ts";
import type {
  DeviceHost,
  EngineInput,
  EngineKind,
  EngineOptions,
  EnginePlace,
  EngineResult,
  EngineShell,
  PreparedShell,
  ShellState,
} from "./port.ts";
import {
  buildStatements,
  changeDirectory,
  exportVariables,
  resetOptions,
  restoreVariables,
  type SessionStatements,
  type ShellOptions,
  setArguments,
  unsetVariables,
} from "./session-statements.ts";
import { ShellSignal } from "./shell-signal.ts";
import {
  collectFunctions,
  type Dump,
  type FunctionDefNode,
  readDump,
  readFunctions,
  toRestoreStatements,
  toShellState,
} from "./shell-state.ts";
import { mayChangeState } from "./state-analysis.ts";
import { invokeBatched } from "./tools-bootstrap.ts";
import { plantTripWire, tripText } from "./trip-wires.ts";

/** What `echo $SHELLOPTS $BASHOPTS` prints in a shell of ours before a script changed anything. */
const FRESH_OPTIONS: ShellOptions = {
  set: "braceexpand:hashall:interactive-comments",
  shopt: "expand_aliases:globskipdots",
};

interface Task {
  readonly input: EngineInput;
  readonly script: ScriptNode;
  readonly changesState: boolean;
  resolve(result: EngineResult): void;
}

interface Status {
  readonly exitCode: number;
  readonly options: ShellOptions;
}

/** What commands print when the script around them was ended. */
const ABORTED = /^bash: (?:execution aborted|.* context revoked)\n/gm;

/** How long a script that was ended may take to give back what it had printed: a thread of `node` takes seconds. */
const UNWIND_MS = 250;

// A copy: the engine blocks the globals while a script runs.
const setTimer = setTimeout;
const encoder = new TextEncoder();

/** A file system that the engine can run on and that takes our devices. */
export type EngineFileSystem = Omit<IFileSystem, "readFileBytes"> & {
  /** One character per byte: what the engine brands as `ByteString`. */
  readFileBytes(path: string): Promise<string>;
} & DeviceHost;

/** Opens a shell; `restore` is the state that another one left. */
export function openShell(
  options: EngineOptions,
  fs: EngineFileSystem,
  restore: ShellState | null,
  nested = false,
): EngineShell {
  const shell = new ShellSession(options, fs, nested);
  shell.enter({ ...options, restore });
  return shell;
}

/** A shell that waits for its place, and has gone as far on the way to its first script as it can without. */
export function prepareShell(kind: EngineKind, fs: EngineFileSystem): PreparedShell {
  const shell = new ShellSession(kind, fs, false);
  shell.begin();
  return shell;
}

class ShellSession implements PreparedShell {
  readonly #bash: Bash;
  readonly #statements: SessionStatements;
  readonly #removeDevices: (() => void)[];
  readonly #signal = new ShellSignal();
  #functions = new Map<string, FunctionDefNode>();
  #safeFunctions: ReadonlySet<string> = new Set();
  /** Set while the shell waits for a script. */
  #wake: (() => void) | null = null;
  #task: Task | null = null;
  #waited = false;
  #closed = false;
  #exitCode = 0;
  #status: Status | null = null;
  #dumpText = "";
  #fresh: Dump | null = null;
  #dump: Dump | null = null;
  #cwd = "/";
  #startTime = 0;
  #options = FRESH_OPTIONS;
  #hasArguments = false;
  /** Where the script that has just ended left the shell; `null`: where it was. */
  #lastCwd: string | null = null;
  #defined: ReadonlySet<string> = new Set();
  #restore: ShellState | null = null;
  #ended: Promise<void> | null = null;
  /** The name in `tripWires` that the script reached, and its line. */
  #tripped: { readonly name: string; readonly line: number } | null = null;

  constructor(kind: EngineKind, fs: EngineFileSystem, nested: boolean) {
    const directory = `/dev/.shell/${fs.nextNumber()}`;
    const paths = {
      out: `${directory}/out`,
      err: `${directory}/err`,
      stdin: `${directory}/stdin`,
      cwd: `${directory}/cwd`,
      state: `${directory}/state`,
    };
    this.#statements = buildStatements(paths);
    this.#removeDevices = [
      fs.addDevice(paths.out, { write: (bytes) => this.#writeOut(bytes), hidden: true }),
      fs.addDevice(paths.err, { write: (bytes) => this.#writeErr(bytes), hidden: true }),
      fs.addDevice(paths.stdin, { read: () => this.#task?.input.stdin ?? new Uint8Array(0), hidden: true }),
      fs.addDevice(paths.cwd, { write: (bytes) => this.#readCwd(bytes), hidden: true }),
      fs.addDevice(paths.state, { write: (bytes) => this.#readState(bytes), hidden: true }),
    ];
    this.#bash = buildBash(
      kind,
      fs as unknown as IFileSystem,
      (path, json) => this.#invokeTool(path, json),
      this.#signal,
      nested,
    );
    let handedOut = false;
    this.#bash.registerTransformPlugin({
      name: "shell-session",
      transform: ({ ast }) => {
        // Nested `exec()` calls of the engine (`bash -c`, `xargs`) pass here too: only the first is ours.
        if (handedOut) return { ast };
        handedOut = true;
        const statements = { [Symbol.iterator]: () => this.#live() } as unknown as StatementNode[];
        return { ast: { ...ast, statements } };
      },
    });
  }

  enter({ cwd, tripWires, restore }: EnginePlace): void {
    this.#cwd = cwd;
    this.#restore = restore;
    this.#startTime = Date.now();
    this.#enter(Reflect.get(this.#bash, "state") as InterpreterState);
    if (tripWires.length === 0) return;
    plantTripWire(Reflect.get(this.#bash, "commands") as object, {
      names: new Set(tripWires),
      // Everything that runs loses its files at once, background jobs and the command around too.
      trip: (name, line) => {
        this.#tripped ??= { name, line };
        this.#signal.abort();
        setTimer(() => void this.#endTripped("", ""), UNWIND_MS).unref();
      },
    });
  }

  /** As the engine's own constructor has it for a directory that it is given. */
  #enter(state: InterpreterState): void {
    state.cwd = this.#cwd;
    state.env.set("PWD", this.#cwd).set("OLDPWD", this.#cwd);
    state.startTime = this.#startTime;
  }

  /** Goes on to where the first script is waited for. */
  begin(): void {
    this.#ended ??= this.#begin();
  }

  get ended(): Promise<void> {
    return this.#ended ?? Promise.resolve();
  }

  async run(input: EngineInput): Promise<EngineResult> {
    if (this.#closed) return failed("the shell is closed");
    if (this.#task !== null) return failed("the shell is busy");
    if (input.cwd !== null && !(await this.#isDirectory(input.cwd))) {
      // Not run elsewhere: a script that removes files must not start in another directory.
      await input.onOutput("stderr", encoder.encode(`bash: cd: ${input.cwd}: No such file or directory\n`));
      return { exitCode: 126, ending: "exited", why: "", state: null };
    }
    let script: ScriptNode;
    try {
      script = parse(input.script, { maxHeredocSize: input.script.length });
    } catch (error) {
      return this.#refuseSyntax(input, error);
    }
    return await new Promise((resolve) => {
      this.#signal.arm(input.signal, input.deadlineMs);
      this.#task = { input, script, changesState: mayChangeState(script, this.#defined), resolve };
      this.begin();
      this.#wake?.();
    });
  }

  async #isDirectory(path: string): Promise<boolean> {
    try {
      return (await this.#bash.fs.stat(path)).isDirectory;
    } catch {
      // Not there, or not to be looked at: either way no place to start in.
      return false;
    }
  }

  close(): void {
    this.#closed = true;
    this.#signal.abort();
    this.#wake?.();
    for (const remove of this.#removeDevices) remove();
  }

  async #begin(): Promise<void> {
    let why = 'the script switched its shell off ("set -n", or a function or alias named "builtin")';
    let exitCode = 1;
    let stdout = "";
    let stderr = "";
    try {
      const result = await this.#bash.exec("true", { signal: this.#signal.signal });
      exitCode = result.exitCode;
      ({ stdout, stderr } = result);
      const printed = `${result.stdout}${result.stderr}`.trim();
      if (printed !== "") why = printed;
      else if (exitCode === 126) why = "a limit of the engine was reached, such as 256 MiB for one string";
    } catch (error) {
      why = tellThrown(error);
    }
    this.#closed = true;
    if (this.#tripped !== null) return this.#endTripped(stdout, stderr);
    const task = this.#task;
    if (task === null) return;
    this.#task = null;
    const ending = this.#signal.fired ? "aborted" : exitCode === 126 ? "limit" : "failed";
    if (ending !== "aborted") await task.input.onOutput("stderr", encoder.encode(`${mendErrorText(why)}\n`));
    task.resolve({ exitCode: ending === "limit" ? 126 : 1, ending, why, state: null });
  }

  /** @param stdout what commands had printed that streams no sooner than they end */
  async #endTripped(stdout: string, stderr: string): Promise<void> {
    const task = this.#task;
    if (task === null || this.#tripped === null) return;
    this.#task = null;
    this.#closed = true;
    const { name, line } = this.#tripped;
    const told = `${stderr.replace(ABORTED, "")}${tripText(name, line)}`;
    if (stdout !== "") await task.input.onOutput("stdout", encoder.encode(stdout));
    await task.input.onOutput("stderr", encoder.encode(told));
    task.resolve({ exitCode: 126, ending: "tier", why: name, state: null });
  }

  /** The script of the one `exec()`: ends when the shell is closed or no longer does what it is told. */
  *#live(): Generator<StatementNode> {
    yield* parse("builtin shopt -s expand_aliases").statements;
    const waitForScript = quietStep(() => this.#waitForTask());
    const tellStatus = quietStep(({ state }) => this.#readStatus(state));
    for (let isFirst = true; ; isFirst = false) {
      this.#waited = false;
      yield waitForScript;
      const task = this.#task;
      // Not waited: the guest switched execution off (`set -n`) or took `builtin` over. The shell is lost.
      if (task === null || !this.#waited || this.#closed) return;
      if (isFirst) yield* this.#takePlace();
      yield* this.#runTask(task, tellStatus);
      if (this.#status === null) return;
      this.#finish(task, this.#status);
    }
  }

  /** What `enter` told, in the shell itself: it may have waited for it. */
  *#takePlace(): Generator<StatementNode> {
    yield quietStep(({ state }) => this.#enter(state));
    const restoring = this.#restore;
    if (restoring === null) return;
    yield* this.#statements.dumpState();
    this.#fresh = this.#takeDump();
    this.#functions = readFunctions(restoring);
    this.#safeFunctions = functionsWithoutExec(this.#functions);
    yield* this.#statements.quietly(toRestoreStatements(restoring, this.#functions.values()));
    this.#cwd = restoring.cwd;
    yield* this.#statements.dumpState();
    this.#takeDump();
  }

  *#runTask(task: Task, tellStatus: StatementNode): Generator<StatementNode> {
    const { input, script } = task;
    this.#status = null;
    this.#lastCwd = null;
    this.#dumpText = "";
    yield* resetOptions(FRESH_OPTIONS, this.#options);
    const env = input.env ?? {};
    const names = Object.keys(env);
    const overrides = names.length > 0 || input.replaceEnv;
    if (this.#fresh === null && (task.changesState || overrides)) {
      yield* this.#statements.dumpState();
      this.#fresh = this.#takeDump();
    }
    const before: StatementNode[] = [];
    if (input.args.length > 0 || this.#hasArguments) before.push(...setArguments(input.args));
    this.#hasArguments = input.args.length > 0;
    if (input.replaceEnv) before.push(...unsetVariables(this.#exportedNames()));
    before.push(...exportVariables(env));
    if (input.cwd !== null) before.push(...changeDirectory(input.cwd));
    if (task.changesState) {
      collectFunctions(script, this.#functions);
      this.#safeFunctions = functionsWithoutExec(this.#functions);
    }
    const parts = {
      before,
      hasStdin: input.stdin !== null,
      apart: input.replaceEnv,
      safeFunctions: this.#safeFunctions,
    };
    yield this.#statements.wrap(script.statements, parts, (exitCode) => {
      this.#exitCode = exitCode;
    });
    yield tellStatus;
    if (task.changesState) {
      yield* this.#statements.resetStreams();
      yield* this.#statements.tellCwd();
    }
    if (!input.replaceEnv) {
      if (names.length > 0) yield* restoreVariables(names, this.#dump?.variables ?? new Map());
      if (input.cwd !== null) yield* changeDirectory(this.#cwd);
    }
    if (task.changesState) {
      yield* this.#statements.dumpState();
    }
  }

  #finish(task: Task, status: Status): void {
    const { input } = task;
    const stays = input.cwd !== null || input.replaceEnv;
    const cwd = stays ? this.#cwd : (this.#lastCwd ?? this.#cwd);
    const moved = cwd !== this.#cwd;
    this.#cwd = cwd;
    this.#options = status.options;
    let state: ShellState | null = null;
    if (task.changesState && this.#fresh !== null) {
      const before = this.#dump;
      const now = this.#takeDump();
      if (moved || before === null || !sameDump(before, now)) {
        state = toShellState(this.#fresh, now, cwd, this.#functions);
      }
    }
    this.#task = null;
    this.#signal.disarm();
    task.resolve({ exitCode: status.exitCode, ending: "exited", why: "", state });
  }

  #takeDump(): Dump {
    const dump = readDump(this.#dumpText);
    this.#dumpText = "";
    this.#dump = dump;
    this.#defined = new Set([...dump.functionNames, ...dump.aliases.keys()]);
    return dump;
  }

  #exportedNames(): string[] {
    const variables = [...(this.#dump?.variables ?? [])];
    return variables.filter(([, text]) => /^declare -[a-zA-Z]*x/.test(text)).map(([name]) => name);
  }

  #waitForTask(): void | Promise<void> {
    if (this.#waited || this.#closed) return;
    this.#waited = true;
    if (this.#task !== null) return;
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null;
        resolve();
      };
    });
  }

  #writeOut(bytes: Uint8Array): void | Promise<void> {
    if (bytes.length > 0) return this.#task?.input.onOutput("stdout", bytes);
  }

  #writeErr(bytes: Uint8Array): void | Promise<void> {
    if (bytes.length === 0) return;
    const text = mendErrorText(escapeStrayBytes(bytes));
    // What the engine says of a script that was ended is said once, by `tripText`.
    const shown = this.#tripped === null ? text : text.replace(ABORTED, "");
    if (shown !== "") return this.#task?.input.onOutput("stderr", unescapeStrayBytes(shown));
  }

  /** Only of a shell whose `builtin` is still its own: everything else that stands around a script goes through it. */
  #readStatus({ env, functions, shoptOptions }: InterpreterState): void {
    const isAliased = shoptOptions.expand_aliases === true && env.has("BASH_ALIAS_builtin");
    if (functions.has("builtin") || isAliased) return;
    const options = { set: env.get("SHELLOPTS") ?? "", shopt: env.get("BASHOPTS") ?? "" };
    this.#status = { exitCode: this.#exitCode, options };
  }

  #readCwd(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#lastCwd = escapeStrayBytes(bytes).slice(0, -1);
  }

  #readState(bytes: Uint8Array): void {
    this.#dumpText += escapeStrayBytes(bytes);
  }

  #invokeTool(path: string, argsJson: string): Promise<string> {
    const invoke = this.#task?.input.invokeTool;
    return invoke
      ? invokeBatched(invoke, path, argsJson)
      : Promise.reject(new Error("the command has ended"));
  }

  async #refuseSyntax(input: EngineInput, error: unknown): Promise<EngineResult> {
    const text = error instanceof Error ? error.message : String(error);
    const message = `bash: syntax error: ${text.replace(/^(syntax error:?|Parse error) ?/i, "")}\n`;
    await input.onOutput("stderr", encoder.encode(message));
    return { exitCode: 2, ending: "exited", why: "", state: null };
  }
}

function failed(why: string): EngineResult {
  return { exitCode: 126, ending: "failed", why, state: null };
}

function sameDump(a: Dump, b: Dump): boolean {
  return (
    sameMap(a.variables, b.variables) &&
    sameMap(a.aliases, b.aliases) &&
    a.functionNames.length === b.functionNames.length &&
    a.functionNames.every((name, index) => name === b.functionNames[index])
  );
}

function sameMap(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}
