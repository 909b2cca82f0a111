/**
 * A failure that the peer's handler answered with, and the two ways between it and a `failure` frame.
 * Message and data cross the wire as they are: redacting them is the handler's business.
 */
import type { WireError } from "./frame-kinds.ts";

/** The code of a thrown value that carries none of its own. */
export const HANDLER_FAILED = "HANDLER_FAILED";

// A failure must fit its frame whatever was thrown; the rest of a longer message helps nobody.
const MAX_MESSAGE_CHARS = 65_536;

/** What `request()` rejects with when the peer answered with a failure. The channel lives on. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  /** The handler's code, or `HANDLER_FAILED`. Written by the peer: never trust it to be one of a list. */
  readonly code: string;
  /** The handler's plain details, if it sent any. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(error: WireError) {
    super(error.message);
    this.code = error.code;
    this.data = error.data;
  }
}

/** The wire form of whatever a handler threw. `data` is taken as it is: the encoder refuses what is not plain. */
export function toWireError(thrown: unknown): WireError {
  if (typeof thrown !== "object" || thrown === null)
    return { code: HANDLER_FAILED, message: clip(String(thrown)) };
  const { code, message, data } = thrown as Record<string, unknown>;
  const error: WireError = {
    code: typeof code === "string" ? clip(code) : HANDLER_FAILED,
    message: typeof message === "string" ? clip(message) : "The handler failed.",
  };
  const hasData =
    typeof data === "object" && data !== null && !Array.isArray(data) && !ArrayBuffer.isView(data);
  return hasData ? { ...error, data: data as Record<string, unknown> } : error;
}

function clip(text: string): string {
  return text.length <= MAX_MESSAGE_CHARS ? text : `${text.slice(0, MAX_MESSAGE_CHARS)}…`;
}
