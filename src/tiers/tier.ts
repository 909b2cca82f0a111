/** One sandbox of a tiered one: what it is asked passes here, and it is disposed of once. */
import { tellThrown } from "../shared/redact.ts";
import type {
  CreateSandboxOptions,
  ExecOptions,
  ExecResult,
  HarnessSandbox,
  HarnessSandboxFactory,
} from "../shared/sandbox.ts";
import { waitAtMost } from "../shell/bounded-wait.ts";
import { withoutReport } from "../shell/exec-result.ts";
import { CommandNumbers } from "./command-numbers.ts";
import { type SharedEvents, TierEvents } from "./tier-events.ts";

/** Longer than a runtime waits for its executor, its last look at the mounts and the host's promises. */
const DISPOSE_MS = 20_000;

export class Tier {
  readonly level: 0 | 1;
  readonly sandbox: HarnessSandbox;
  readonly #events: TierEvents;
  readonly #numbers: CommandNumbers;
  #hasRun = false;
  #disposed: Promise<void> | undefined;

  private constructor(level: 0 | 1, sandbox: HarnessSandbox, events: TierEvents, numbers: CommandNumbers) {
    this.level = level;
    this.sandbox = sandbox;
    this.#events = events;
    this.#numbers = numbers;
  }

  /** Rejects with whatever the factory throws, and with a `TypeError` when what it gives is no sandbox. */
  static async open(
    level: 0 | 1,
    factory: HarnessSandboxFactory,
    create: CreateSandboxOptions,
    shared: SharedEvents,
  ): Promise<Tier> {
    const events = new TierEvents(level, shared);
    const numbers = new CommandNumbers();
    const { replay } = create;
    const sandbox: unknown = await factory({
      ...create,
      emit: events.emit,
      ...(replay && { replay: numbers.over(replay) }),
    });
    if (!isSandbox(sandbox)) throw new TypeError("its factory gave no sandbox");
    return new Tier(level, sandbox, events, numbers);
  }

  /** Whether it has a state worth handing on. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  get isWaited(): boolean {
    return this.#events.isWaited;
  }

  /** @param number of the command, over all tiers */
  async exec(number: number, command: string, options: ExecOptions): Promise<ExecResult> {
    this.#numbers.count(number);
    this.#hasRun = true;
    const startedMs = performance.now();
    try {
      const result: unknown = await this.sandbox.exec(command, options);
      if (!isResult(result)) throw new TypeError("it gave no result");
      return { ...result, tier: this.level };
    } catch (thrown) {
      // It must not; whoever called has a result all the same.
      const why = `the sandbox failed: ${tellThrown(thrown)}`;
      const result = withoutReport(126, { kind: "unknown", why }, why);
      return { ...result, durationMs: performance.now() - startedMs, changes: [], tier: this.level };
    }
  }

  /** A command of ours: no event tells of it. */
  async execHidden(command: string, options: ExecOptions): Promise<ExecResult> {
    this.#numbers.count();
    this.#events.hideNext();
    return await this.sandbox.exec(command, options);
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#end();
    return this.#disposed;
  }

  async #end(): Promise<void> {
    try {
      const ended = await waitAtMost(this.sandbox.dispose(), DISPOSE_MS);
      if (!ended.inTime) this.#events.tellDisposeFailed(`dispose took longer than ${DISPOSE_MS} ms`);
    } catch (thrown) {
      this.#events.tellDisposeFailed(tellThrown(thrown));
    }
  }
}

function isResult(value: unknown): value is ExecResult {
  if (typeof value !== "object" || value === null) return false;
  const { exitCode, ending } = value as Partial<ExecResult>;
  return typeof exitCode === "number" && typeof ending === "object" && ending !== null;
}

function isSandbox(value: unknown): value is HarnessSandbox {
  if (typeof value !== "object" || value === null) return false;
  const { exec, dispose, isolation, fs } = value as Partial<HarnessSandbox>;
  const areFunctions = [exec, dispose, isolation].every((method) => typeof method === "function");
  return areFunctions && typeof fs === "object" && fs !== null;
}
