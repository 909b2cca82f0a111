/**
 * The requests the peer has made: their bodies, their handlers, their one answer each. A request counts as
 * open until its answer is handed to the transport, so a peer that asks without reading cannot pile up answers.
 */
import { type BodyBudget, BodyCollector, ChunkSending, MAX_JOINED_BYTES, smallChunk } from "./body.ts";
import { toWireError } from "./call-failure.ts";
import type { ChannelLimits, Handler, IncomingCall, OutputStream } from "./channel-contract.ts";
import { encodeFrames } from "./codec.ts";
import type { ChunkFrame, Frame, RequestFrame, WireError } from "./frame-kinds.ts";
import { type FrameWriter, Lane } from "./frame-writer.ts";
import { type Checks, once } from "./outgoing-calls.ts";
import { ProtocolError } from "./protocol-error.ts";

/** A request's checks and who answers it. */
export interface Service extends Checks {
  readonly handler: Handler<unknown, unknown>;
}

export class IncomingCalls {
  readonly #services: ReadonlyMap<string, Service>;
  readonly #limits: ChannelLimits;
  readonly #writer: FrameWriter;
  readonly #budget: BodyBudget;
  readonly #mayOutput: boolean;
  readonly #open = new Map<number, OpenRequest>();
  #lastId = 0;

  /** `mayOutput`: whether this side is the worker. */
  constructor(
    services: ReadonlyMap<string, Service>,
    limits: ChannelLimits,
    writer: FrameWriter,
    budget: BodyBudget,
    mayOutput: boolean,
  ) {
    this.#services = services;
    this.#limits = limits;
    this.#writer = writer;
    this.#budget = budget;
    this.#mayOutput = mayOutput;
  }

  onRequest(frame: RequestFrame): void {
    const { id, name, bodyBytes } = frame;
    if (id <= this.#lastId) {
      throw new ProtocolError("ID_NOT_INCREASING", `Request id ${id} came after ${this.#lastId}.`);
    }
    this.#lastId = id;
    if (this.#open.size >= this.#limits.maxOpenRequests) {
      throw new ProtocolError(
        "TOO_MANY_REQUESTS",
        `More than ${this.#limits.maxOpenRequests} requests are open.`,
      );
    }
    const service = this.#services.get(name);
    if (service === undefined) {
      throw new ProtocolError("NAME_UNKNOWN", `There is no request "${name.slice(0, 80)}".`);
    }
    const params = service.params(frame.params, name);
    const maxBodyBytes = Math.min(service.maxBodyBytes ?? Infinity, this.#limits.maxBodyBytes);
    if (bodyBytes > maxBodyBytes) {
      throw new ProtocolError("BODY_TOO_LARGE", `A body of ${bodyBytes} bytes; the cap is ${maxBodyBytes}.`);
    }
    const request = new OpenRequest(id, name, params, service, bodyBytes, new BodyCollector(this.#budget));
    this.#open.set(id, request);
    if (bodyBytes === 0) this.#run(request);
  }

  onBodyChunk(frame: ChunkFrame): void {
    const request = this.#open.get(frame.id);
    if (request === undefined || request.bodyLeft === 0) {
      throw new ProtocolError("CHUNK_UNEXPECTED", `No request ${frame.id} waits for its body.`);
    }
    if (frame.bytes.length > request.bodyLeft) {
      throw new ProtocolError("BODY_MISMATCH", `Request ${frame.id} has more body than announced.`);
    }
    request.collector.add(frame.bytes);
    request.bodyLeft -= frame.bytes.length;
    if (request.bodyLeft === 0) this.#run(request);
  }

  onCancel(id: number): void {
    if (id > this.#lastId)
      throw new ProtocolError("CANCEL_UNEXPECTED", `A cancel of request ${id}, never made.`);
    const request = this.#open.get(id);
    // Its answer is on the way: the cancel crossed it.
    if (request === undefined) return;
    if (request.bodyLeft > 0) {
      throw new ProtocolError("CANCEL_UNEXPECTED", `A cancel of request ${id} inside its body.`);
    }
    request.abort();
  }

  /** Tells every handler that nobody waits for it any more. */
  abortAll(reason: Error): void {
    const requests = [...this.#open.values()];
    this.#open.clear();
    for (const request of requests) request.abort(reason);
  }

  #run(request: OpenRequest): void {
    const call: IncomingCall = {
      id: request.id,
      body: request.collector.take(),
      // Made on first use: most handlers of short calls never look.
      get signal(): AbortSignal {
        return request.signal;
      },
      output: (stream, bytes) => this.#output(request, stream, bytes),
    };
    let answering: ReturnType<Handler<unknown, unknown>>;
    try {
      answering = request.service.handler(request.params, call);
    } catch (error) {
      this.#answerFailure(request, error);
      return;
    }
    answering.then(
      (answer) => this.#answer(request, answer),
      (error: unknown) => this.#answerFailure(request, error),
    );
  }

  /** Its answer is with the transport: it counts no more, and neither does its body. */
  #end(request: OpenRequest): void {
    this.#open.delete(request.id);
    request.collector.release();
  }

  #output(request: OpenRequest, stream: OutputStream, bytes: Uint8Array): Promise<void> {
    if (!this.#mayOutput || request.name !== "exec") {
      return Promise.reject(new ProtocolError("CHUNK_UNEXPECTED", `"${request.name}" has no output.`));
    }
    if (request.answered || bytes.length === 0 || !this.#open.has(request.id)) return Promise.resolve();
    return this.#writer.send(request.lane, new ChunkSending(request.id, stream, [bytes], this.#limits));
  }

  #answer(request: OpenRequest, answer: { readonly value: unknown; readonly body?: Uint8Array }): void {
    if (!this.#open.has(request.id)) return;
    const { id } = request;
    const { maxFrameBytes, maxBodyBytes, chunkBytes } = this.#limits;
    try {
      request.service.result(answer.value, `${request.name} result`);
      const body = answer.body ?? new Uint8Array(0);
      if (body.length > maxBodyBytes) {
        throw new ProtocolError(
          "BODY_TOO_LARGE",
          `The answer has ${body.length} bytes; the cap is ${maxBodyBytes}.`,
        );
      }
      const joined = body.length > 0 && body.length <= Math.min(MAX_JOINED_BYTES, chunkBytes);
      const frames: Frame[] = joined ? [smallChunk(id, "result-body", [body], body.length)] : [];
      frames.push({ kind: "result", id, value: answer.value, bodyBytes: body.length });
      const bytes = encodeFrames(frames, maxFrameBytes);
      request.answered = true;
      if (!joined && body.length > 0) {
        this.#writer.post(request.lane, new ChunkSending(id, "result-body", [body], this.#limits));
      }
      this.#writer.post(
        request.lane,
        once(bytes, () => this.#end(request)),
      );
    } catch (error) {
      this.#answerFailure(request, error);
    }
  }

  #answerFailure(request: OpenRequest, thrown: unknown): void {
    if (!this.#open.has(request.id)) return;
    request.answered = true;
    const bytes = this.#encodeFailure(request.id, toWireError(thrown));
    this.#writer.post(
      request.lane,
      once(bytes, () => this.#end(request)),
    );
  }

  /** The details of a failure are the handler's own and may be anything: without them it always fits. */
  #encodeFailure(id: number, error: WireError): Uint8Array {
    const { maxFrameBytes } = this.#limits;
    try {
      return encodeFrames([{ kind: "failure", id, error }], maxFrameBytes);
    } catch {
      // Not plain, or too large: the code and the message are what matters.
      const { code, message } = error;
      return encodeFrames([{ kind: "failure", id, error: { code, message } }], maxFrameBytes);
    }
  }
}

/** One request of the peer, from its frame to its answer. */
class OpenRequest {
  readonly id: number;
  readonly name: string;
  readonly params: unknown;
  readonly service: Service;
  readonly collector: BodyCollector;
  readonly lane = new Lane();
  bodyLeft: number;
  answered = false;
  #controller: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;

  constructor(
    id: number,
    name: string,
    params: unknown,
    service: Service,
    bodyBytes: number,
    collector: BodyCollector,
  ) {
    this.id = id;
    this.name = name;
    this.params = params;
    this.service = service;
    this.bodyLeft = bodyBytes;
    this.collector = collector;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(reason);
  }
}
