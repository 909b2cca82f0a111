/**
 * Read a line, ask for more while it is unfinished, run it, say what it did. Whoever leaves, by a word, a key or a
 * signal, leaves through `run`.
 */
import type { EventEmitter } from "node:events";
import { quote } from "../../shared/quote.ts";
import type { ExecResult } from "../../shared/sandbox.ts";
import { endingText } from "../ending-text.ts";
import { EXIT_BY_SIGNAL } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import type { ShellInvocation } from "../parse-shell.ts";
import { toVisible } from "../visible-text.ts";
import { changesText } from "./changes-text.ts";
import { complete } from "./complete.ts";
import { addToHistory, readHistory } from "./history.ts";
import type { LineSource, Reading } from "./line-source.ts";
import type { OpenShell } from "./open-shell.ts";
import { PipedLines } from "./piped-lines.ts";
import { type CommandParts, runCommand, wasAborted } from "./run-command.ts";
import { TerminalLines } from "./terminal-lines.ts";
import { isUnfinished } from "./unfinished.ts";

/** What a shell is attached to: the process, or a test's own. */
export interface ShellEnds extends Pick<EventEmitter, "on" | "off"> {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** The shell's own commands are short; a worker that starts for them may take some seconds on a busy machine. */
const OWN_COMMAND_MS = 20_000;
const MORE = "> ";
/** Longest directory in a prompt, in characters. */
const MAX_SHOWN_CWD = 60;

export class ShellLoop {
  readonly #invocation: ShellInvocation;
  readonly #shell: OpenShell;
  readonly #ends: ShellEnds;
  readonly #stderr: Output;
  readonly #leaving: AbortSignal;
  readonly #command: CommandParts;
  readonly #isInteractive: boolean;
  #cwd = "/";
  #status = 0;
  /** Where commands run, in a sandbox of tiers. */
  #tier: 0 | 1 | undefined;
  #running: AbortController | undefined;
  #wasInterrupted = false;
  #hasBegun = false;
  /** The exit code, once something from outside has ended the shell. */
  #leftWith: number | undefined;
  readonly #left: Promise<Reading>;
  #leave: () => void = () => undefined;

  /** @param leaving its reason is the exit code */
  constructor(
    invocation: ShellInvocation,
    shell: OpenShell,
    ends: ShellEnds,
    { stdout, stderr }: { readonly stdout: Output; readonly stderr: Output },
    leaving: AbortSignal,
  ) {
    this.#invocation = invocation;
    this.#shell = shell;
    this.#ends = ends;
    this.#stderr = stderr;
    this.#leaving = leaving;
    this.#left = new Promise((resolve) => {
      this.#leave = () => resolve({ is: "ended" });
    });
    const { isRaw, timeoutMs, maxOutputBytes } = invocation;
    this.#command = {
      sandbox: shell.sandbox,
      stdout: { output: stdout, isFiltered: ends.stdout.isTTY === true && !isRaw },
      stderr: { output: stderr, isFiltered: ends.stderr.isTTY === true && !isRaw },
      timeoutMs,
      maxOutputBytes,
    };
    this.#isInteractive =
      ends.stdin.isTTY === true && (ends.stdout.isTTY === true || ends.stderr.isTTY === true);
  }

  /** @returns the exit code. Rejects when the sandbox cannot be used at all. */
  async run(): Promise<number> {
    const leaveWith = (code: number): void => {
      this.#leftWith ??= code;
      this.#leave();
      this.#running?.abort();
    };
    const onInterrupt = (): void => {
      this.#wasInterrupted = true;
      if (this.#isInteractive && this.#hasBegun) this.#running?.abort();
      else leaveWith(EXIT_BY_SIGNAL.SIGINT);
    };
    const onLeave = (): void => leaveWith(this.#leaving.reason as number);
    this.#ends.on("SIGINT", onInterrupt);
    this.#leaving.addEventListener("abort", onLeave);
    if (this.#leaving.aborted) onLeave();
    let lines: LineSource | undefined;
    try {
      await this.#begin();
      lines = await this.#openLines(onInterrupt);
      return await this.#readAndRun(lines);
    } catch (error) {
      if (this.#leftWith !== undefined) return this.#leftWith;
      throw error;
    } finally {
      this.#ends.off("SIGINT", onInterrupt);
      this.#leaving.removeEventListener("abort", onLeave);
      lines?.close();
    }
  }

  async #readAndRun(lines: LineSource): Promise<number> {
    for (;;) {
      const script = await this.#readScript(lines);
      if (this.#leftWith !== undefined) return this.#leftWith;
      if (script === undefined) return this.#status;
      const exit = /^\s*exit(?:\s+([+-]?\d+))?\s*;?\s*$/.exec(script);
      if (exit !== null) return exit[1] === undefined ? this.#status : Number(BigInt(exit[1]) & 255n);
      if (script.trim() === "") continue;
      lines.release();
      await this.#runScript(script);
      if (this.#leftWith !== undefined) return this.#leftWith;
    }
  }

  /** `undefined`: there is none any more, or it is time to leave. */
  async #readScript(lines: LineSource): Promise<string | undefined> {
    let script: string | undefined;
    for (;;) {
      this.#wasInterrupted = false;
      const reading = await Promise.race([
        this.#left,
        lines.next(script === undefined ? this.#prompt() : MORE),
      ]);
      if (reading.is === "interrupted") {
        this.#status = EXIT_BY_SIGNAL.SIGINT;
        script = undefined;
        continue;
      }
      if (reading.is === "ended") {
        if (this.#isInteractive) this.#stderr.write("\n");
        // What is unfinished at the end of a pipe is for the sandbox to judge; nobody can type the rest of it.
        return this.#isInteractive ? undefined : script;
      }
      if (this.#isInteractive && this.#shell.historyFile !== undefined)
        await addToHistory(this.#shell.historyFile, reading.line);
      script = script === undefined ? reading.line : `${script}\n${reading.line}`;
      if (!isUnfinished(script)) return script;
    }
  }

  async #runScript(script: string): Promise<void> {
    if (this.#wasInterrupted) {
      // Ctrl-C came between the line and its command.
      this.#status = EXIT_BY_SIGNAL.SIGINT;
      return;
    }
    const running = new AbortController();
    this.#running = running;
    const { result, status, endsLine } = await runCommand(
      script,
      this.#status,
      running.signal,
      this.#command,
    );
    this.#running = undefined;
    this.#status = status;
    this.#tier = result.tier ?? this.#tier;
    // The prompt takes the whole line, so what stands there already would be gone.
    if (this.#isInteractive && !endsLine) this.#stderr.write("\n");
    this.#explain(result);
    // A command that was ended leaves the shell where it was.
    if (result.ending.kind === "exited") await this.#lookWhere();
    if (this.#isInteractive) this.#stderr.write(changesText(result.changes, this.#cwd));
  }

  #explain(result: ExecResult): void {
    // Who pressed Ctrl-C knows.
    if (this.#wasInterrupted && wasAborted(result)) return;
    const words = endingText(result);
    if (words !== undefined) this.#stderr.write(`little-harness: ${toVisible(words)}\n`);
  }

  /** Variables and directory of the command line; the first command of the sandbox. */
  async #begin(): Promise<void> {
    const { env, cwd } = this.#invocation;
    const script = [
      ...Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`),
      ...(cwd === undefined ? [] : [`cd -- ${quote(cwd)}`]),
    ].join(" && ");
    const { ending, exitCode, stderr } = await this.#ownCommand(script === "" ? "true" : script);
    if (ending.kind !== "exited" || exitCode !== 0)
      throw new Error(stderr.trim() || `the sandbox did not start: ${JSON.stringify(ending)}`);
    await this.#lookWhere();
    this.#hasBegun = true;
    if (this.#isInteractive)
      this.#stderr.write(`${toVisible(this.#shell.title)} (Ctrl-D or "exit" leaves)\n`);
  }

  async #lookWhere(): Promise<void> {
    const { ending, exitCode, stdout, tier } = await this.#ownCommand("builtin pwd");
    this.#tier = tier ?? this.#tier;
    if (ending.kind === "exited" && exitCode === 0 && stdout.startsWith("/"))
      this.#cwd = stdout.replace(/\n$/, "");
  }

  async #ownCommand(script: string): Promise<ExecResult> {
    const running = new AbortController();
    this.#running = running;
    try {
      return await this.#shell.quietly(() =>
        this.#shell.sandbox.exec(script, { signal: running.signal, timeoutMs: OWN_COMMAND_MS }),
      );
    } finally {
      this.#running = undefined;
    }
  }

  async #openLines(onEarlyInterrupt: () => void): Promise<LineSource> {
    const { stdin, stdout, stderr } = this.#ends;
    if (!this.#isInteractive) return new PipedLines(stdin);
    const { historyFile, sandbox } = this.#shell;
    return new TerminalLines({
      input: stdin,
      output: stdout.isTTY === true ? stdout : stderr,
      history: historyFile === undefined ? [] : await readHistory(historyFile),
      onEarlyInterrupt,
      complete: (before) => complete(before, { fs: sandbox.fs, cwd: this.#cwd }),
    });
  }

  #prompt(): string {
    const cwd = toVisible(this.#cwd);
    const shown = cwd.length > MAX_SHOWN_CWD ? `…${cwd.slice(-MAX_SHOWN_CWD)}` : cwd;
    const status = this.#status === 0 ? "" : `[${this.#status}] `;
    const tier = this.#tier === undefined ? "" : ` (tier ${this.#tier})`;
    return `${status}${shown}${tier} $ `;
  }
}
