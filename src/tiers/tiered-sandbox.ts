/**
 * A sandbox of two: commands run in tier 0 until one needs more, then a sandbox of the higher tier is opened, takes
 * over where the shell is, and the rest of the turn stays there. Each tier is a whole sandbox and does what a sandbox
 * does (events, changes, tools); here is what lies between: which one a command goes to, the move, and commands that
 * go to none. One object is one turn. `docs/tiers.md` has the table of what happens when.
 */
import { randomUUID } from "node:crypto";
import type { ExecuteOutput } from "../shared/executor.ts";
import type { SandboxFileSystem } from "../shared/file-system.ts";
import { DEFAULT_LIMITS } from "../shared/limits.ts";
import { tellThrown } from "../shared/redact.ts";
import type {
  CreateSandboxOptions,
  ExecOptions,
  ExecResult,
  HarnessSandbox,
  HarnessSandboxFactory,
  IsolationReport,
} from "../shared/sandbox.ts";
import { checkTripWires } from "../shared/trip-wires.ts";
import { waitAtMost } from "../shell/bounded-wait.ts";
import { type CheckedExec, checkExec } from "../shell/check-exec-options.ts";
import { CommandQueue } from "../shell/command-queue.ts";
import { EventStream } from "../shell/event-stream.ts";
import { OpenCommands } from "../shell/open-commands.ts";
import { disposed, stopped } from "../shell/running-command.ts";
import { createShellRuntime } from "../shell/shell-runtime.ts";
import { StopSwitch } from "../shell/stop-switch.ts";
import { FileGate } from "./file-gate.ts";
import { type Arrival, handOver, openInTime } from "./move-up.ts";
import { lostDirectory, type Need, noHigherTier, notClassified, notOpened } from "./refusals.ts";
import { Tier } from "./tier.ts";
import type { SharedEvents } from "./tier-events.ts";
import { checkClassification } from "./tiered-options.ts";
import { ToldOnce } from "./told-once.ts";
import { isTripped, NOTHING_HIGHER, resultWithLine } from "./trip-line.ts";
import { tooLate, whileOpen } from "./while-open.ts";

/** What a tiered sandbox is made of; every option is set. */
export interface TieredParts {
  readonly tier0: HarnessSandboxFactory;
  readonly nextTier: HarnessSandboxFactory | undefined;
  classify(script: string): unknown;
  readonly tripWires: readonly string[];
  readonly provisionTimeoutMs: number;
}

/** Milliseconds that `dispose` waits for a sandbox which is being opened, for results, and for the host's promises. */
const DISPOSE_MS = 5_000;

/** Opens tier 0. Rejects as its factory does. */
export async function openTiered(parts: TieredParts, create: CreateSandboxOptions): Promise<HarnessSandbox> {
  const lineAtTrip = parts.nextTier === undefined ? NOTHING_HIGHER : "";
  const shared = { stream: new EventStream(create.emit), toldOnce: new ToldOnce(), lineAtTrip };
  const tripWires = [...new Set([...parts.tripWires, ...checkTripWires(create.tripWires)])];
  const tier0 = await Tier.open(0, parts.tier0, { ...create, tripWires }, shared);
  return new TieredSandbox(parts, create, shared, tier0);
}

/** Where a command goes, or why it goes nowhere. */
type Place = { readonly tier: Tier } | { readonly report: ExecuteOutput };

class TieredSandbox implements HarnessSandbox {
  readonly fs: SandboxFileSystem;
  readonly #parts: TieredParts;
  readonly #create: CreateSandboxOptions;
  readonly #shared: SharedEvents;
  readonly #stream: EventStream;
  readonly #tier0: Tier;
  readonly #gate: FileGate;
  readonly #queue = new CommandQueue();
  readonly #open = new OpenCommands();
  #above: Tier | undefined;
  /** The move that is under way or done; a failed one is forgotten, so that it may be tried again. */
  #move: Promise<Tier> | undefined;
  /** Until a command above has started where tier 0 had left the shell. */
  #arrival: Arrival | undefined;
  /** The last command reached a trip wire. */
  #wantsUp = false;
  #commands = 0;
  #disposed: Promise<void> | undefined;

  constructor(parts: TieredParts, create: CreateSandboxOptions, shared: SharedEvents, tier0: Tier) {
    this.#parts = parts;
    this.#create = create;
    this.#shared = shared;
    this.#stream = shared.stream;
    this.#tier0 = tier0;
    this.#gate = new FileGate(() => this.#current.sandbox.fs);
    this.fs = this.#gate.files;
  }

  get #current(): Tier {
    return this.#above ?? this.#tier0;
  }

  async exec(command: string, options?: ExecOptions): Promise<ExecResult> {
    const number = ++this.#commands;
    if (this.#disposed !== undefined) {
      // Its event stream has ended; the result alone tells.
      return { ...disposed(), durationMs: 0, changes: [] };
    }
    const exec = checkExec(command, options, this.#create.workspace.cwd);
    // Found and told once more, as any sandbox does.
    if ("problem" in exec)
      return await this.#teller({ exitCode: 126, stdout: "", stderr: "" }).exec(command, options);
    const waited = [this.#tier0, this.#above].find((tier) => tier?.isWaited === true);
    if (waited !== undefined) return await this.#execIn(waited, number, exec);
    const stop = new StopSwitch(exec.signal);
    const result = this.#queue.run(
      stop.signal,
      () => this.#run(number, exec, stop),
      () => this.#tell(exec, stopped(stop)),
    );
    return await this.#open.keep(stop, result);
  }

  async isolation(): Promise<IsolationReport> {
    const { level, sandbox } = this.#current;
    return { ...(await sandbox.isolation()), tier: level };
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#end();
    return this.#disposed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  async #run(number: number, exec: CheckedExec, stop: StopSwitch): Promise<ExecResult> {
    const startedMs = performance.now();
    const place = await this.#placeFor(exec, stop);
    if ("report" in place) return await this.#tell(exec, place.report);
    const { timeoutMs } = exec;
    if (timeoutMs === undefined) return await this.#execIn(place.tier, number, exec);
    const leftMs = timeoutMs - (performance.now() - startedMs);
    if (leftMs <= 0) return await this.#tell(exec, tooLate());
    return await this.#execIn(place.tier, number, { ...exec, timeoutMs: leftMs });
  }

  async #execIn(tier: Tier, number: number, { command, ...options }: CheckedExec): Promise<ExecResult> {
    const arrival = tier === this.#above ? this.#arrival : undefined;
    if (arrival?.lostCwd === true && options.cwd === undefined) {
      this.#arrival = undefined;
      // Not run elsewhere: a script that removes files must not start in another directory.
      return await this.#tell({ command, ...options }, lostDirectory());
    }
    const result = await tier.exec(number, command, options);
    if (tier === this.#tier0 && isTripped(result.ending)) {
      if (this.#parts.nextTier === undefined) return resultWithLine(result, NOTHING_HIGHER, options.onStderr);
      this.#wantsUp = true;
    }
    if (arrival === undefined) return result;
    if (!arrival.lostCwd) this.#arrival = undefined;
    return { ...result, stateRestored: result.stateRestored && arrival.isComplete };
  }

  async #placeFor(exec: CheckedExec, stop: StopSwitch): Promise<Place> {
    const { timeoutMs } = exec;
    const untilMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
    // One that an earlier command began and did not wait for: nothing may start in tier 0 while it hands over.
    let moved = await this.#waitForMove(stop, untilMs);
    if (moved !== undefined && !("failed" in moved)) return moved;
    let need: Need = "trip-wire";
    if (!this.#wantsUp) {
      const classified = await this.#classify(exec.command, stop, untilMs);
      if ("report" in classified) return classified;
      if (classified.need === undefined) return { tier: this.#tier0 };
      need = classified.need;
    }
    const { nextTier } = this.#parts;
    if (nextTier === undefined) return { report: noHigherTier(need) };
    if (moved === undefined) {
      this.#move = this.#moveUp(nextTier);
      moved = await this.#waitForMove(stop, untilMs);
    }
    if (moved !== undefined && !("failed" in moved)) return moved;
    this.#wantsUp = false;
    return { report: notOpened(need, moved?.failed ?? "") };
  }

  /** `undefined`: there is none. */
  async #waitForMove(stop: StopSwitch, untilMs: number): Promise<Place | { failed: string } | undefined> {
    const move = this.#move;
    if (move === undefined) return undefined;
    const outcome = await whileOpen(move, stop, untilMs);
    if ("value" in outcome) return { tier: outcome.value };
    return "report" in outcome ? outcome : { failed: tellThrown(outcome.thrown) };
  }

  async #classify(
    script: string,
    stop: StopSwitch,
    untilMs: number,
  ): Promise<{ readonly need?: Need } | { readonly report: ExecuteOutput }> {
    const asked = (async () => this.#parts.classify(script))();
    const until = Math.min(untilMs, performance.now() + DEFAULT_LIMITS.timeoutMs);
    const outcome = await whileOpen(asked, stop, until);
    if ("report" in outcome) return outcome;
    if ("thrown" in outcome) return { report: notClassified(tellThrown(outcome.thrown)) };
    const classification = checkClassification(outcome.value);
    if (typeof classification === "string") return { report: notClassified(classification) };
    return classification.tier === 0 ? {} : { need: classification };
  }

  /** Belongs to no command: it goes on when the one that began it has been aborted, and the next one finds it done. */
  async #moveUp(nextTier: HarnessSandboxFactory): Promise<Tier> {
    let above: Tier | undefined;
    let gate: { open(): void } | undefined;
    try {
      above = await openInTime(nextTier, this.#create, this.#shared, this.#parts.provisionTimeoutMs);
      this.#refuseWhenDisposed();
      const closed = this.#gate.close();
      gate = closed;
      await waitAtMost(closed.quiet, DISPOSE_MS);
      this.#shared.toldOnce.isHandingOver = true;
      this.#arrival = await handOver(this.#tier0, above);
      this.#refuseWhenDisposed();
      this.#above = above;
      return above;
    } catch (thrown) {
      this.#move = undefined;
      await above?.dispose();
      throw thrown;
    } finally {
      this.#shared.toldOnce.isHandingOver = false;
      gate?.open();
    }
  }

  #refuseWhenDisposed(): void {
    if (this.#disposed !== undefined) throw new Error("the sandbox was disposed");
  }

  /** Tells of a command that no tier was given. */
  async #tell({ command, cwd, args, onStderr }: CheckedExec, report: ExecuteOutput): Promise<ExecResult> {
    return await this.#teller(report).exec(command, {
      ...(cwd !== undefined && { cwd }),
      ...(args !== undefined && { args }),
      ...(onStderr !== undefined && { onStderr }),
    });
  }

  /** A sandbox in which nothing runs: it tells of a command as every sandbox does. It holds nothing to dispose of. */
  #teller(report: ExecuteOutput): HarnessSandbox {
    const { workspace, traceOptions } = this.#create;
    return createShellRuntime({
      workspace: { ...workspace, mounts: workspace.mounts.map((mount) => ({ ...mount, tracked: false })) },
      emit: (event) => this.#stream.emit(event),
      traceOptions,
      files: this.#tier0.sandbox.fs,
      execute: async () => report,
    });
  }

  async #end(): Promise<void> {
    // One step later, so that whoever hears of the stop finds the sandbox disposed of.
    await Promise.resolve();
    const move = this.#move;
    this.#open.stopAll("dispose");
    await Promise.all([this.#tier0.dispose(), this.#above?.dispose()]);
    if (move !== undefined) {
      // A sandbox that comes later is disposed of by the move itself.
      const over = await waitAtMost(move.then(noop, noop), DISPOSE_MS);
      if (!over.inTime) {
        const error = `the higher tier was still being opened after ${DISPOSE_MS} ms`;
        this.#stream.emit({ type: "harness.runtime.dispose.failed", occurrenceId: randomUUID(), error });
      }
      await this.#above?.dispose();
    }
    await waitAtMost(this.#open.ended(), DISPOSE_MS);
    await waitAtMost(this.#stream.settled(), DISPOSE_MS);
  }
}

function noop(): void {
  // Whoever waited for the move has been told.
}
