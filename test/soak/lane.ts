/** One sandbox after another in a directory of its own, and what is known of the state of the shell in it. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { openSandbox } from "../../bench/built.ts";
import type { ExecOptions, ExecResult, HarnessSandbox } from "../../src/index.ts";
import { descendants, isAlive, until } from "../helpers/processes.ts";
import { onRung, type Rung } from "../helpers/rungs.ts";
import type { Random } from "./random.ts";

/** What a result must look like; `stdout` is compared whole, `why` by a part of it. */
export interface Expected {
  readonly exitCode: number;
  readonly ending: string;
  readonly by?: string;
  readonly why?: string;
  readonly stdout?: string;
}

export const EXITED = { exitCode: 0, ending: "exited" } as const;
export const SIGKILLED = { exitCode: 137, ending: "unknown", why: "SIGKILL" } as const;

export class Lane {
  readonly rung: Rung;
  readonly random: Random;
  readonly directory: string;
  /** The shell's variable `n`, as the last command that ended well has left it. */
  n = 0;
  /** Called by the tool `moment`, which scripts call where something is to happen to them. */
  onMoment: () => unknown = () => undefined;
  readonly #title: string;
  #sandbox: HarnessSandbox | undefined;
  readonly #failedDisposals: string[] = [];

  constructor(name: string, rung: Rung, directory: string, random: Random) {
    this.rung = rung;
    this.random = random;
    this.directory = directory;
    this.#title = `soak-${name}`;
    mkdirSync(directory);
  }

  async open(): Promise<void> {
    this.n = 0;
    this.#sandbox = await openSandbox({
      ...onRung(this.rung),
      sandbox: "subprocess",
      mounts: { "/w": this.directory },
      limits: { maxMemoryMb: 320, timeoutMs: 120_000, graceMs: 200 },
      // Tells the processes of the lanes apart.
      execArgv: [`--title=${this.#title}`],
      tools: {
        add: { execute: ({ a, b }: { a: number; b: number }) => a + b },
        fail: { execute: () => Promise.reject(new Error("the tool fails")) },
        never: { execute: () => new Promise(() => undefined) },
        moment: { execute: () => this.onMoment() },
      },
      onEvent: (event) => {
        if (event.type === "harness.runtime.dispose.failed") this.#failedDisposals.push(event.error);
      },
    });
  }

  get sandbox(): HarnessSandbox {
    if (this.#sandbox === undefined) throw new Error("the lane is closed");
    return this.#sandbox;
  }

  async close(): Promise<void> {
    await this.sandbox.dispose();
    this.#sandbox = undefined;
    if (this.#failedDisposals.length > 0)
      throw new Error(`dispose failed: ${this.#failedDisposals.join("; ")}`);
    const left = this.pids();
    if (left.length > 0) throw new Error(`dispose left the processes ${left.join(", ")}`);
  }

  async reopen(): Promise<void> {
    await this.close();
    await this.open();
  }

  /** Runs a command and compares its result. */
  async run(script: string, expected: Expected, options: ExecOptions = {}): Promise<ExecResult> {
    const result = await this.sandbox.exec(script, options);
    this.compare(result, expected);
    return result;
  }

  compare(result: ExecResult, expected: Expected): void {
    const { ending, exitCode, stdout } = result;
    const by = "by" in ending ? ending.by : undefined;
    const told = { exitCode, ending: ending.kind, ...(by === undefined ? {} : { by }) };
    const { stdout: output, why, ...rest } = expected;
    const isRight =
      isDeepStrictEqual(told, rest) &&
      (output === undefined || output === stdout) &&
      (why === undefined || (ending.kind === "unknown" && ending.why.includes(why)));
    if (!isRight) {
      const got = { exitCode, ending, stdout: stdout.slice(0, 500), stderr: result.stderr.slice(0, 500) };
      throw new Error(`expected ${JSON.stringify(expected).slice(0, 500)}, got ${JSON.stringify(got)}`);
    }
  }

  /** The shell is as the last command that ended well has left it. */
  async expectState(): Promise<void> {
    await this.run("echo $n", { ...EXITED, stdout: `${this.n === 0 ? "" : this.n}\n` });
  }

  /** Process ids of the workers, without what stands around a jailed one. */
  pids(): number[] {
    return this.#processes().filter((pid) => descendants(pid).length === 0);
  }

  signal(name: "SIGKILL" | "SIGSTOP"): void {
    for (const pid of this.pids()) process.kill(pid, name);
  }

  /** Kills the worker; resolves when nothing of it is left, nor of the jail around it. */
  async kill(): Promise<void> {
    const all = this.#processes();
    this.signal("SIGKILL");
    await until(() => !all.some(isAlive), 20_000);
  }

  /** The workers and what stands around them. */
  #processes(): number[] {
    return descendants(process.pid).filter((pid) => commandLine(pid).includes(this.#title));
  }

  entries(): string[] {
    return readdirSync(this.directory);
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    // Gone between the listing and the look.
    return "";
  }
}
