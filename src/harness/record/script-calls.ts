/**
 * The tool calls of scripts, recorded and replayed: the `ToolReplay` of the turn's sandbox. A call is known by the
 * command of the model that it belongs to, its tool and its input; of calls that ask the same, by which one it is.
 */
import { SandboxError } from "../../shared/errors.ts";
import type { ReplayAnswer, ReplayableCall, ReplayOutcome, ToolReplay } from "../../shared/sandbox.ts";
import type { HarnessTools } from "../../shared/tools.ts";
import { waitAtMost } from "../../shell/bounded-wait.ts";
import { diverged } from "./divergence.ts";
import { callDigest, scriptCallKey } from "./positions.ts";
import type { CallAtPosition, RecordedCalls } from "./recorded-call.ts";
import type { RunLog } from "./run-log.ts";

/** Milliseconds that a call which is not on record waits for those that are to be asked for first. */
const HOLD_MS = 1_000;

interface OpenCommand {
  /** Of the call of the model. */
  readonly key: string;
  readonly where: string;
  readonly details: CallAtPosition["details"];
  /** Calls so far, by digest. */
  readonly counts: Map<string, number>;
  /** Calls on record that nobody has asked for yet. */
  readonly missing: Set<string>;
  /** Resolves when there are none any more. */
  readonly complete: PromiseWithResolvers;
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

export class ScriptCalls implements ToolReplay {
  readonly #log: RunLog;
  readonly #calls: RecordedCalls;
  readonly #tools: HarnessTools;
  readonly #open = new Map<string, CallAtPosition[]>();
  #command: OpenCommand | undefined;

  constructor(log: RunLog, calls: RecordedCalls, tools: HarnessTools) {
    this.#log = log;
    this.#calls = calls;
    this.#tools = tools;
  }

  /** From here on, calls belong to this command of the model. One at a time. */
  enter(command: Pick<OpenCommand, "key" | "where" | "details">): void {
    const ends = this.#log.keysUnder(`${command.key}/script/`).filter((key) => key.endsWith("/started"));
    const missing = new Set(ends.map((key) => key.slice(0, -"/started".length)));
    this.#command = { ...command, counts: new Map(), missing, complete: withResolvers() };
  }

  /** The command has ended. Gives how many calls on record it did not ask for. */
  leave(): number {
    const { missing, complete } = this.#command ?? {};
    complete?.resolve();
    this.#command = undefined;
    return missing?.size ?? 0;
  }

  async lookup(call: ReplayableCall): Promise<ReplayAnswer | undefined> {
    const command = this.#command;
    if (command === undefined) {
      throw new SandboxError("TOOL_REFUSED", "no command of the model is under way", { tool: call.tool });
    }
    const digest = callDigest(call.tool, call.argsJson);
    const occurrence = (command.counts.get(digest) ?? 0) + 1;
    command.counts.set(digest, occurrence);
    const at: CallAtPosition = {
      key: scriptCallKey(command.key, digest, occurrence),
      tool: call.tool,
      input: call.argsJson,
      digest,
      where: `${command.where}, its script`,
      onUnknown: this.#tools[call.tool]?.onUnknownOutcome ?? "tell",
      details: { ...command.details, ofScript: true },
    };
    if (command.missing.delete(at.key)) {
      if (command.missing.size === 0) command.complete.resolve();
    } else await this.#waitForMissing(command, at);
    const begun = await this.#calls.begin(at);
    if (begun.is === "answered") return begun.outcome;
    const same = idOf(call);
    this.#open.set(same, [...(this.#open.get(same) ?? []), at]);
    return { idempotencyKey: begun.idempotencyKey };
  }

  async record(call: ReplayableCall, outcome: ReplayOutcome): Promise<void> {
    const [at, ...rest] = this.#open.get(idOf(call)) ?? [];
    if (at === undefined) return;
    if (rest.length === 0) this.#open.delete(idOf(call));
    else this.#open.set(idOf(call), rest);
    await this.#calls.end(at, outcome);
  }

  // Calls made at the same time may come in another order than the first time. A script that goes another way must not
  // have effects beside those on record.
  async #waitForMissing(command: OpenCommand, came: CallAtPosition): Promise<void> {
    if (command.missing.size === 0) return;
    const { inTime } = await waitAtMost(command.complete.promise, HOLD_MS);
    const [missing] = command.missing;
    if (this.#command !== command) {
      throw new SandboxError("TOOL_REFUSED", "the command has ended", { tool: came.tool });
    }
    if (inTime || missing === undefined) return;
    throw this.#log.breakBy(
      diverged(this.#log.runId, came.where, this.#calls.recorded(missing), {
        tool: came.tool,
        input: came.input,
      }),
    );
  }
}

/** Calls with the same numbers and the same input are as good as one another. */
function idOf({ commandNumber, callNumber, tool, argsJson }: ReplayableCall): string {
  return `${commandNumber} ${callNumber} ${tool} ${argsJson}`;
}

function withResolvers(): PromiseWithResolvers {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
