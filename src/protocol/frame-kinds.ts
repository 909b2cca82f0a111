/** What one frame may be: the six kinds and their checks. Which of them may come when is `channel.ts`'s business. */
import { anything, type Check, count, oneOf, record, requestId, shape, someBytes, text } from "./check.ts";
import { ProtocolError } from "./protocol-error.ts";

/** A failure as it crosses the wire. */
export interface WireError {
  code: string;
  message: string;
  data?: Readonly<Record<string, unknown>>;
}

/** What a chunk's bytes belong to. */
export type ChunkStream = "stdout" | "stderr" | "request-body" | "result-body";

/** First frame each way. Its shape is the same in every version, so that any two versions can tell they differ. */
export interface HelloFrame {
  kind: "hello";
  version: number;
  buildId: string;
}

/** Ids are counted per direction, from 1, strictly upwards. `bodyBytes` bytes follow as `request-body`. */
export interface RequestFrame {
  kind: "request";
  id: number;
  name: string;
  params: unknown;
  bodyBytes: number;
}

/** A piece of an open request: its body, its output, or the body of its result. Never empty. */
export interface ChunkFrame {
  kind: "chunk";
  id: number;
  stream: ChunkStream;
  bytes: Uint8Array;
}

/** The good answer. `bodyBytes` bytes have come before it as `result-body`. */
export interface ResultFrame {
  kind: "result";
  id: number;
  value: unknown;
  bodyBytes: number;
}

/** The bad answer. Bytes of a result's body that came before it count for nothing. */
export interface FailureFrame {
  kind: "failure";
  id: number;
  error: WireError;
}

/** A wish: exactly one result or failure still follows. */
export interface CancelFrame {
  kind: "cancel";
  id: number;
}

/** Everything that may be in a frame. */
export type Frame = HelloFrame | RequestFrame | ChunkFrame | ResultFrame | FailureFrame | CancelFrame;

const kind = <K extends Frame["kind"]>(name: K): Check<K> => oneOf(name);

const frameChecks: { [K in Frame["kind"]]: Check<Extract<Frame, { kind: K }>> } = {
  hello: shape<HelloFrame>({ kind: kind("hello"), version: count, buildId: text }),
  request: shape<RequestFrame>({
    kind: kind("request"),
    id: requestId,
    name: text,
    params: anything,
    bodyBytes: count,
  }),
  chunk: shape<ChunkFrame>({
    kind: kind("chunk"),
    id: requestId,
    stream: oneOf("stdout", "stderr", "request-body", "result-body"),
    bytes: someBytes,
  }),
  result: shape<ResultFrame>({ kind: kind("result"), id: requestId, value: anything, bodyBytes: count }),
  failure: shape<FailureFrame>({
    kind: kind("failure"),
    id: requestId,
    error: shape<WireError>({ code: text, message: text }, { data: record(anything) }),
  }),
  cancel: shape<CancelFrame>({ kind: kind("cancel"), id: requestId }),
};

/** The names of all frame kinds. */
export const frameKinds: readonly string[] = Object.keys(frameChecks);

/** A decoded value as a frame, or `SHAPE_REFUSED`. */
export function toFrame(value: unknown): Frame {
  const named = typeof value === "object" && value !== null ? (value as { kind?: unknown }).kind : undefined;
  if (typeof named !== "string" || !Object.hasOwn(frameChecks, named)) {
    throw new ProtocolError("SHAPE_REFUSED", `frame.kind: expected one of ${frameKinds.join(", ")}.`);
  }
  return frameChecks[named as Frame["kind"]](value, named);
}
