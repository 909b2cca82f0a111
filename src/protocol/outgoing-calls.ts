/**
 * The requests this side has made and that have no answer yet. Everything the peer sends for one of them
 * comes through here, and what does not fit the state of its request is a breach.
 */
import {
  type BodyBudget,
  BodyCollector,
  bodyPieces,
  ChunkSending,
  MAX_JOINED_BYTES,
  smallChunk,
  totalBytes,
} from "./body.ts";
import { CallFailure } from "./call-failure.ts";
import type { Answer, Call, ChannelLimits, OutputStream, RequestOptions } from "./channel-contract.ts";
import type { Check } from "./check.ts";
import { encodeFrames } from "./codec.ts";
import type { ChunkFrame, FailureFrame, Frame, ResultFrame } from "./frame-kinds.ts";
import { type FrameWriter, Lane, type Sending, type Write } from "./frame-writer.ts";
import { ProtocolError } from "./protocol-error.ts";

/** Both checks of a request, for code that does not know which one it is. */
export interface Checks {
  readonly params: Check<unknown>;
  readonly result: Check<unknown>;
  readonly maxBodyBytes?: number;
}

interface OpenCall {
  readonly name: string;
  readonly check: Check<unknown>;
  readonly options: RequestOptions;
  readonly collector: BodyCollector;
  /** Whether the peer has all it needs to answer. */
  sent: boolean;
  /** Whether the output listener threw: it gets nothing more. */
  deaf: boolean;
  settle(answer: Answer<unknown>): void;
  fail(error: unknown): void;
  /** Takes our listener off the caller's signal. */
  release(): void;
}

export class OutgoingCalls {
  readonly #table: ReadonlyMap<string, Checks>;
  readonly #limits: ChannelLimits;
  readonly #writer: FrameWriter;
  readonly #budget: BodyBudget;
  readonly #open = new Map<number, OpenCall>();
  #lastId = 0;

  constructor(
    table: ReadonlyMap<string, Checks>,
    limits: ChannelLimits,
    writer: FrameWriter,
    budget: BodyBudget,
  ) {
    this.#table = table;
    this.#limits = limits;
    this.#writer = writer;
    this.#budget = budget;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Sends a request, or refuses it before it costs an id. */
  make(name: string, params: unknown, options: RequestOptions): Call<unknown> {
    try {
      return this.#make(name, params, options);
    } catch (error) {
      return refusedCall(error);
    }
  }

  #make(name: string, params: unknown, options: RequestOptions): Call<unknown> {
    options.signal?.throwIfAborted();
    const checks = this.#table.get(name);
    if (checks === undefined) throw new ProtocolError("NAME_UNKNOWN", `There is no request "${name}".`);
    checks.params(params, name);
    if (this.#open.size >= this.#limits.maxOpenRequests) {
      throw new ProtocolError(
        "TOO_MANY_REQUESTS",
        `${this.#open.size} requests are open, and no more may be.`,
      );
    }
    const pieces = bodyPieces(options.body);
    const bodyBytes = totalBytes(pieces);
    const maxBodyBytes = Math.min(checks.maxBodyBytes ?? Infinity, this.#limits.maxBodyBytes);
    if (bodyBytes > maxBodyBytes) {
      throw new ProtocolError(
        "BODY_TOO_LARGE",
        `The body has ${bodyBytes} bytes; the cap is ${maxBodyBytes}.`,
      );
    }
    const id = this.#lastId + 1;
    const frames: Frame[] = [{ kind: "request", id, name, params, bodyBytes }];
    const joined = bodyBytes > 0 && bodyBytes <= Math.min(MAX_JOINED_BYTES, this.#limits.chunkBytes);
    if (joined) frames.push(smallChunk(id, "request-body", pieces, bodyBytes));
    const bytes = encodeFrames(frames, this.#limits.maxFrameBytes);

    // Nothing below can refuse: from here on the id is used.
    this.#lastId = id;
    const lane = new Lane();
    const whole = joined || bodyBytes === 0;
    let call: OpenCall | undefined;
    const promise = new Promise<Answer<unknown>>((settle, fail) => {
      call = {
        name,
        check: checks.result,
        options,
        collector: new BodyCollector(this.#budget, options.maxAnswerBytes),
        sent: false,
        deaf: false,
        settle,
        fail,
        release: this.#watch(id, lane, options.signal),
      };
      this.#open.set(id, call);
    });
    const markSent = (): void => {
      if (call !== undefined) call.sent = true;
    };
    this.#writer.post(lane, once(bytes, whole ? markSent : undefined));
    if (!whole) this.#writer.post(lane, new ChunkSending(id, "request-body", pieces, this.#limits, markSent));
    return Object.assign(promise, { id });
  }

  onChunk(frame: ChunkFrame): void {
    const call = this.#sent(frame.id, "CHUNK_UNEXPECTED", frame.stream);
    if (frame.stream === "result-body") {
      call.collector.add(frame.bytes);
      return;
    }
    if (call.name !== "exec") {
      throw new ProtocolError("CHUNK_UNEXPECTED", `"${call.name}" ${frame.id} has no ${frame.stream}.`);
    }
    if (call.deaf) return;
    try {
      call.options.onChunk?.(frame.stream as OutputStream, frame.bytes);
    } catch (error) {
      call.deaf = true;
      call.fail(error);
      this.#cancel(frame.id);
    }
  }

  onResult(frame: ResultFrame): void {
    const call = this.#sent(frame.id, "ANSWER_UNEXPECTED", "result");
    const value = call.check(frame.value, `${call.name} result`);
    if (frame.bodyBytes !== call.collector.bytes) {
      throw new ProtocolError(
        "BODY_MISMATCH",
        `Result ${frame.id} announces ${frame.bodyBytes} bytes; ${call.collector.bytes} came.`,
      );
    }
    const body = call.collector.take();
    call.collector.release();
    this.#end(frame.id, call);
    call.settle({ value, body });
  }

  onFailure(frame: FailureFrame): void {
    const call = this.#sent(frame.id, "ANSWER_UNEXPECTED", "failure");
    call.collector.release();
    this.#end(frame.id, call);
    call.fail(new CallFailure(frame.error));
  }

  /** Ends every open call with one reason. */
  failAll(reason: Error): void {
    for (const [id, call] of this.#open) {
      this.#end(id, call);
      call.fail(reason);
    }
  }

  #sent(id: number, code: "CHUNK_UNEXPECTED" | "ANSWER_UNEXPECTED", what: string): OpenCall {
    const call = this.#open.get(id);
    if (call === undefined) throw new ProtocolError(code, `A ${what} for request ${id}, which is not open.`);
    if (!call.sent) throw new ProtocolError(code, `A ${what} for request ${id}, which is not fully sent.`);
    return call;
  }

  #end(id: number, call: OpenCall): void {
    this.#open.delete(id);
    call.release();
    call.options.onEnd?.();
  }

  #watch(id: number, lane: Lane, signal: AbortSignal | undefined): () => void {
    if (signal === undefined) return () => undefined;
    const onAbort = (): void => this.#cancel(id, lane);
    signal.addEventListener("abort", onAbort, { once: true });
    return () => signal.removeEventListener("abort", onAbort);
  }

  /** In the lane of its request a cancel cannot overtake the body, which the peer would call a breach. */
  #cancel(id: number, lane = new Lane()): void {
    this.#writer.post(lane, once(encodeFrames([{ kind: "cancel", id }], this.#limits.maxFrameBytes)));
  }
}

/** Bytes that go out in one write. */
export function once(bytes: Uint8Array, onWrite?: () => void): Sending {
  const sending = {
    more: true,
    next(write: Write): void | Promise<void> {
      sending.more = false;
      onWrite?.();
      return write(bytes);
    },
  };
  return sending;
}

/** A call that was never made. */
export function refusedCall(reason: unknown): Call<never> {
  return Object.assign(Promise.reject(reason), { id: 0 });
}
