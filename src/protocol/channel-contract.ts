/** What a channel is to its two owners. Types and defaults only; the law behind them is `docs/protocol.md`. */
import type { Body } from "./body.ts";
import type { Write } from "./frame-writer.ts";
import type { ParentRequests, Requests } from "./messages.ts";
import type { ProtocolError } from "./protocol-error.ts";

/** The two ends of the wire. */
export type Side = "parent" | "worker";

/** Caps. Both ends are built with the same ones: what exceeds the receiver's breaks the channel. */
export interface ChannelLimits {
  /** Bytes of one frame, without its length prefix. */
  readonly maxFrameBytes: number;
  /** Bytes of one body. */
  readonly maxBodyBytes: number;
  /** Bytes of all bodies together that are being received, or are a request's that has no answer yet. */
  readonly maxHeldBytes: number;
  /** Bytes of a body or of output that are put into one frame. */
  readonly chunkBytes: number;
  /** Requests of one direction that may be open at once. */
  readonly maxOpenRequests: number;
}

/** The caps of a channel that is given none. */
export const DEFAULT_LIMITS: ChannelLimits = {
  maxFrameBytes: 4_194_304,
  maxBodyBytes: 536_870_912,
  maxHeldBytes: 1_073_741_824,
  chunkBytes: 262_144,
  maxOpenRequests: 1_024,
};

/** The two streams of a script's output. */
export type OutputStream = "stdout" | "stderr";

/** What a request came back with. */
export interface Answer<R> {
  readonly value: R;
  /** Empty when the answer had no body. */
  readonly body: Uint8Array;
}

/** A request under way. */
export interface Call<R> extends Promise<Answer<R>> {
  /** Its id on the wire; 0 if it was refused before it got one. */
  readonly id: number;
}

/** What may go with a request. */
export interface RequestOptions {
  /** Sent after the request. Must not change until the call has settled. */
  readonly body?: Body;
  /**
   * Its abort sends a cancel, which is a wish: the call settles with the peer's answer all the same. If it is
   * aborted already, nothing is sent and the call rejects with its reason.
   */
  readonly signal?: AbortSignal;
  /** Bytes that the answer's body may have; more break the channel. @default the cap on bodies */
  readonly maxAnswerBytes?: number;
  /**
   * Gets the output of an `exec`. `bytes` is valid until it returns: copy what is kept. A throw fails
   * the call with what was thrown and cancels it.
   */
  onChunk?(stream: OutputStream, bytes: Uint8Array): void;
  /**
   * Called when the call has ended, before anything is handled that came behind its answer: a promise tells it
   * only after all that arrived together. Must not throw.
   */
  onEnd?(): void;
}

/** What a handler is told besides the params. */
export interface IncomingCall {
  /** Id of the request, unique in its direction. */
  readonly id: number;
  /** Empty when the request had no body. */
  readonly body: Uint8Array;
  /** Aborted when the peer cancels, and when the channel ends. */
  readonly signal: AbortSignal;
  /**
   * Sends output of an `exec`; only the worker may. Resolves once it is written and more may be (or the
   * channel has ended). `bytes` must not change until then. Output after the answer is dropped.
   */
  output(stream: OutputStream, bytes: Uint8Array): Promise<void>;
}

/**
 * Answers one kind of request. What it throws is answered as a failure: `code`, `message` and plain `data` of
 * the thrown error cross the wire.
 */
export type Handler<P, R> = (
  params: P,
  call: IncomingCall,
) => Promise<{ readonly value: R; readonly body?: Uint8Array }>;

/** A handler for every request of a table. */
export type Handlers<T extends Requests<T>> = {
  readonly [N in keyof T]: Handler<T[N]["params"], T[N]["result"]>;
};

/** What one end is made of: `Out` is the table it asks from, `In` the one it answers. */
export interface ChannelOptions<Out, In extends Requests<In>> {
  readonly side: Out extends ParentRequests ? "parent" : "worker";
  /** Both must be equal to the peer's. */
  readonly hello: { readonly version: number; readonly buildId: string };
  /** @default DEFAULT_LIMITS, cap by cap */
  readonly limits?: Partial<ChannelLimits>;
  /** Takes the channel's bytes, whole frames at a time. `bytes` is never changed after; of `body` see `Write`. */
  readonly write: Write;
  readonly handlers: Handlers<In>;
  /**
   * Called once, when the peer breaks the law or the transport fails; never after `close`. Open calls reject
   * with `error` right after it, unless it calls `close` with a reason of its own.
   */
  onBroken(error: ProtocolError): void;
}

/** One end of the wire. */
export interface Channel<Out extends Requests<Out>> {
  /** Resolves when the peer's hello is accepted; rejects when the channel ends before. May be left unwatched. */
  readonly ready: Promise<void>;
  /** Requests of this side without an answer. */
  readonly openRequests: number;
  /** Sends the hello. Requests may follow at once, without waiting for the peer's. */
  start(): void;
  /** Takes bytes of the peer, in any split. Output listeners get views on them, and nothing else does. */
  receive(bytes: Uint8Array): void;
  /**
   * Asks the peer. Rejects with a `CallFailure` when the peer answers so; with the reason when the channel ends;
   * with a `ProtocolError` that breaks nothing when the request cannot be sent: `FRAME_TOO_LARGE`, `VALUE_REFUSED`,
   * `SHAPE_REFUSED`, `BODY_TOO_LARGE`, `TOO_MANY_REQUESTS`.
   */
  request<N extends keyof Out>(
    name: N,
    params: Out[N]["params"],
    options?: RequestOptions,
  ): Call<Out[N]["result"]>;
  /** Ends the channel without a word to the peer: open calls reject with `reason`, later input is ignored. */
  close(reason: Error): void;
}
