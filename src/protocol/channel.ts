/**
 * One end of the wire, the same for parent and worker: ids, open calls, both directions, over plain bytes.
 * It has no timers, knows no process and trusts nothing it receives. Order of trust: length cap, decode to
 * plain data, shape, then state (is this id open, is this answer due), then use. One breach ends it for good.
 */
import { BodyBudget } from "./body.ts";

import {
  type Call,
  type Channel,
  type ChannelLimits,
  type ChannelOptions,
  DEFAULT_LIMITS,
  type RequestOptions,
  type Side,
} from "./channel-contract.ts";
import { decodeFrame, encodeFrames } from "./codec.ts";
import { FrameReader } from "./frame.ts";
import type { Frame, HelloFrame } from "./frame-kinds.ts";
import { FrameWriter, Lane } from "./frame-writer.ts";
import { IncomingCalls, type Service } from "./incoming-calls.ts";
import { parentRequests, type Requests, workerRequests } from "./messages.ts";
import { type Checks, OutgoingCalls, once, refusedCall } from "./outgoing-calls.ts";
import { ProtocolError } from "./protocol-error.ts";

export type { Answer, Call, Channel, ChannelLimits, ChannelOptions, Handlers } from "./channel-contract.ts";

/**
 * Makes one end of the wire. Nothing is sent before `start`.
 * Throws a `RangeError` for limits that cannot work together.
 */
export function createChannel<Out extends Requests<Out>, In extends Requests<In>>(
  options: ChannelOptions<Out, In>,
): Channel<Out> {
  const channel: unknown = new PipeChannel(options);
  return channel as Channel<Out>;
}

const tables = {
  parent: { asks: parentRequests, answers: workerRequests },
  worker: { asks: workerRequests, answers: parentRequests },
} as const;

// A chunk frame without its bytes takes 45 bytes at most.
const MIN_FRAME_BYTES = 64;

/** The options once it no longer matters which table they are for. */
type AnyOptions = Omit<ChannelOptions<never, never>, "side" | "handlers"> & {
  readonly side: Side;
  readonly handlers: object;
};

class PipeChannel {
  readonly ready: Promise<void>;
  readonly #side: Side;
  readonly #hello: { readonly version: number; readonly buildId: string };
  readonly #limits: ChannelLimits;
  readonly #reader: FrameReader;
  readonly #writer: FrameWriter;
  readonly #outgoing: OutgoingCalls;
  readonly #incoming: IncomingCalls;
  readonly #onBroken: (error: ProtocolError) => void;
  #becomeReady: () => void = () => undefined;
  #neverReady: (reason: Error) => void = () => undefined;
  #started = false;
  #greeted = false;
  /** Nothing is received or written any more; `#ended` follows once the owner had its say. */
  #broken = false;
  /** Set once: why this channel has ended. */
  #ended: Error | undefined;

  constructor(options: AnyOptions) {
    this.#side = options.side;
    this.#hello = options.hello;
    this.#limits = checkedLimits({ ...DEFAULT_LIMITS, ...options.limits });
    this.#onBroken = (error) => options.onBroken(error);
    this.#reader = new FrameReader(this.#limits.maxFrameBytes, (payload) => this.#onPayload(payload));
    this.#writer = new FrameWriter(
      (bytes, body) => options.write(bytes, body),
      (cause) =>
        this.#break(
          new ProtocolError("TRANSPORT_FAILED", "The channel's bytes cannot be written.", { cause }),
        ),
    );
    const { asks, answers } = tables[options.side];
    const budget = new BodyBudget(this.#limits);
    const checks = new Map<string, Checks>(Object.entries(asks));
    this.#outgoing = new OutgoingCalls(checks, this.#limits, this.#writer, budget);
    const services = new Map<string, Service>();
    const handlers = options.handlers as Record<string, Service["handler"]>;
    for (const [name, checks] of Object.entries<Checks>(answers)) {
      services.set(name, { ...checks, handler: handlers[name] as Service["handler"] });
    }
    const mayOutput = options.side === "worker";
    this.#incoming = new IncomingCalls(services, this.#limits, this.#writer, budget, mayOutput);
    this.ready = new Promise((resolve, reject) => {
      this.#becomeReady = resolve;
      this.#neverReady = reject;
    });
    // Its rejection is told to every call and to `onBroken` too: nobody has to watch this promise.
    this.ready.catch(() => undefined);
  }

  get openRequests(): number {
    return this.#outgoing.size;
  }

  start(): void {
    if (this.#started || this.#broken) return;
    this.#started = true;
    const hello: Frame = { kind: "hello", version: this.#hello.version, buildId: this.#hello.buildId };
    this.#writer.post(new Lane(), once(encodeFrames([hello], this.#limits.maxFrameBytes)));
  }

  receive(bytes: Uint8Array): void {
    if (this.#broken) return;
    try {
      this.#reader.push(bytes);
    } catch (error) {
      this.#break(
        error instanceof ProtocolError
          ? error
          : new ProtocolError("RECEIVE_FAILED", "A frame could not be handled.", { cause: error }),
      );
    }
  }

  request(name: string, params: unknown, options: RequestOptions = {}): Call<unknown> {
    if (this.#ended !== undefined) return refusedCall(this.#ended);
    // The hello goes first, also before the request of an owner that forgot to start.
    this.start();
    return this.#outgoing.make(name, params, options);
  }

  close(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#broken = true;
    this.#writer.stop();
    this.#neverReady(reason);
    this.#outgoing.failAll(reason);
    this.#incoming.abortAll(reason);
  }

  #break(error: ProtocolError): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#writer.stop();
    try {
      this.#onBroken(error);
    } finally {
      this.close(error);
    }
  }

  #onPayload(payload: Uint8Array): void {
    // A handler or an output listener may have closed the channel inside the very bytes that brought this frame.
    if (this.#broken) return;
    const frame = decodeFrame(payload);
    if (!this.#greeted) this.#greet(frame);
    else this.#dispatch(frame);
  }

  #greet(frame: Frame): void {
    if (frame.kind !== "hello") {
      throw new ProtocolError("HELLO_EXPECTED", `The first frame is a ${frame.kind}, not a hello.`);
    }
    const { version, buildId } = this.#hello;
    if (frame.version !== version || frame.buildId !== buildId) {
      throw new ProtocolError(
        "HELLO_MISMATCH",
        `The ${this.#side} has ${describe({ version, buildId })}, its peer ${describe(frame)}.`,
      );
    }
    this.#greeted = true;
    this.#becomeReady();
  }

  #dispatch(frame: Frame): void {
    if (frame.kind === "request") this.#incoming.onRequest(frame);
    else if (frame.kind === "result") this.#outgoing.onResult(frame);
    else if (frame.kind === "failure") this.#outgoing.onFailure(frame);
    else if (frame.kind === "cancel") this.#incoming.onCancel(frame.id);
    else if (frame.kind === "hello")
      throw new ProtocolError("HELLO_REPEATED", "The peer sent a second hello.");
    else if (frame.stream === "request-body") this.#incoming.onBodyChunk(frame);
    else this.#outgoing.onChunk(frame);
  }
}

function describe(hello: Pick<HelloFrame, "version" | "buildId">): string {
  return `version ${hello.version}, build ${JSON.stringify(hello.buildId.slice(0, 80))}`;
}

function checkedLimits(limits: ChannelLimits): ChannelLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`${name}: expected a whole number from 1 up.`);
  }
  if (limits.chunkBytes + MIN_FRAME_BYTES > limits.maxFrameBytes) {
    throw new RangeError(`chunkBytes: a chunk and ${MIN_FRAME_BYTES} bytes must fit into maxFrameBytes.`);
  }
  return limits;
}
