/** One tool call in the log, of the model or of a script: began, perhaps again, and how it ended. */
import { isRecord } from "../../shared/check-options.ts";
import { SandboxError } from "../../shared/errors.ts";
import type { JsonValue } from "../../shared/json.ts";
import { tellThrown } from "../../shared/redact.ts";
import type { ReplayOutcome } from "../../shared/sandbox.ts";
import type { SessionLogEvent } from "../../shared/session-log.ts";
import type { UnknownOutcome } from "../../shared/tools.ts";
import type { ToldCall } from "./divergence.ts";
import {
  MAX_ANSWER_BYTES,
  MAX_INLINE_BYTES,
  type Payloads,
  toCompared,
  toPayload,
  wellFormed,
} from "./payloads.ts";
import { idempotencyKeyOf, RECORD } from "./positions.ts";
import type { RunLog } from "./run-log.ts";

/** A call at its position. */
export interface CallAtPosition extends ToldCall {
  readonly key: string;
  readonly digest: string;
  /** For people, in errors: `step 2, call 1`. */
  readonly where: string;
  readonly onUnknown: UnknownOutcome;
  /** What else its records say. */
  readonly details: Readonly<Record<string, JsonValue>>;
}

/** What is to be done with a call. */
export type Begun =
  | { readonly is: "answered"; readonly outcome: ReplayOutcome }
  | { readonly is: "to run"; readonly idempotencyKey: string; readonly hadBegun: boolean };

const UNKNOWN =
  "outcome unknown: an earlier process of this run had begun this call and ended before the result was recorded, so the tool may have done its work or not; it was not run again";

export class RecordedCalls {
  readonly #log: RunLog;
  readonly #payloads: Payloads;

  constructor(log: RunLog, payloads: Payloads) {
    this.#log = log;
    this.#payloads = payloads;
  }

  /** The call as it was recorded to begin; `undefined` when it was not. */
  recorded(key: string): (ToldCall & { readonly digest: string }) | undefined {
    const event = this.#log.find(`${key}/started`);
    if (event === undefined) return undefined;
    const { tool, digest, input } = fieldsOf(event);
    const { text, sizeBytes } = isRecord(input) ? input : {};
    const told = typeof text === "string" ? text : `${sizeBytes} bytes of input`;
    return { tool: String(tool), digest: String(digest), input: told };
  }

  /** Answers from the record, or says on record that the call begins, before it does anything. */
  async begin(call: CallAtPosition): Promise<Begun> {
    const { key, tool, digest, input } = call;
    const idempotencyKey = idempotencyKeyOf(this.#log.runId, key);
    if (this.#log.find(`${key}/started`) === undefined) {
      const data = {
        ...call.details,
        tool: wellFormed(tool.slice(0, 200)),
        digest,
        idempotencyKey,
        // A script may pass any number of large ones: they are not the host's to keep.
        input: toCompared(input),
      };
      await this.#log.append(`${key}/started`, RECORD.toolStarted, data, key);
      return { is: "to run", idempotencyKey, hadBegun: false };
    }
    const ended = this.#log.find(`${key}/ended`);
    if (ended !== undefined) return { is: "answered", outcome: await this.#read(ended, call) };
    return await this.#beginAgain(call, idempotencyKey);
  }

  /** Says on record how the call ended. */
  async end({ key, tool, details }: CallAtPosition, outcome: ReplayOutcome): Promise<void> {
    const isError = "error" in outcome;
    const name = `${tool.slice(0, 80)}-${isError ? "error.txt" : "result.json"}`;
    const text = isError ? outcome.error : outcome.json;
    const maxBytes = details.ofScript === true ? MAX_INLINE_BYTES : MAX_ANSWER_BYTES;
    const kept = await this.#payloads.keep(name, text, maxBytes).catch((thrown: unknown) => {
      // What was done cannot be recorded: nothing may come after it.
      throw this.#log.breakBy(notKept(tool, thrown));
    });
    const data = { ...details, [isError ? "error" : "result"]: kept };
    await this.#log.append(`${key}/ended`, isError ? RECORD.toolFailed : RECORD.toolCompleted, data, key);
  }

  async #beginAgain(call: CallAtPosition, idempotencyKey: string): Promise<Begun> {
    const { key, tool, where, onUnknown, details } = call;
    if (onUnknown === "repeat") {
      const again = this.#log.keysUnder(`${key}/repeated/`).length + 1;
      await this.#log.append(`${key}/repeated/${again}`, RECORD.toolRepeated, { ...details, again }, key);
      return { is: "to run", idempotencyKey, hadBegun: true };
    }
    if (onUnknown === "tell") {
      const data = { ...details, error: { text: UNKNOWN }, outcomeUnknown: true };
      await this.#log.append(`${key}/ended`, RECORD.toolFailed, data, key);
      return { is: "answered", outcome: { error: UNKNOWN } };
    }
    const message = `The run ${this.#log.runId} cannot go on: ${tool} had begun at ${where} when its process ended, and what it did is not known.`;
    throw this.#log.breakBy(
      new SandboxError("TOOL_OUTCOME_UNKNOWN", message, {
        runId: this.#log.runId,
        tool,
        where,
        idempotencyKey,
      }),
    );
  }

  async #read(ended: SessionLogEvent, { tool, where }: CallAtPosition): Promise<ReplayOutcome> {
    const { result, error } = fieldsOf(ended);
    const payload = toPayload(error ?? result);
    const what = `what ${tool} answered at ${where}`;
    if (payload === undefined) {
      const message = `The record of ${what} says neither a result nor an error.`;
      throw this.#log.breakBy(new SandboxError("SESSION_LOG_CORRUPT", message, { runId: this.#log.runId }));
    }
    try {
      const text = await this.#payloads.read(payload, what);
      return error === undefined ? { json: text } : { error: text };
    } catch (thrown) {
      throw thrown instanceof SandboxError ? this.#log.breakBy(thrown) : thrown;
    }
  }
}

/** Data of a record. */
export function fieldsOf({ data }: SessionLogEvent): Readonly<Record<string, JsonValue>> {
  return isRecord(data) ? (data as Readonly<Record<string, JsonValue>>) : {};
}

function notKept(tool: string, cause: unknown): SandboxError {
  const message = `What ${tool} answered could not be recorded: ${tellThrown(cause)}`;
  return new SandboxError("SESSION_LOG_FAILED", message, { tool }, { cause });
}
