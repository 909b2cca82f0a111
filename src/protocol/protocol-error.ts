/**
 * The ways the wire can be broken, and the one error class of this folder. A `ProtocolError` that reaches
 * `onBroken` has ended its channel; one that a single `request()` rejects with has ended only that request.
 * What the peer's handler answered is no breach: that is a `CallFailure`.
 */

/** Every code of a `ProtocolError`, with what it says. */
export const PROTOCOL_ERROR_CODES = {
  HELLO_EXPECTED: "the first frame is not a hello",
  HELLO_MISMATCH: "the peer's version or build id is another one",
  HELLO_REPEATED: "a second hello",
  FRAME_TOO_LARGE: "a frame is larger than the cap",
  VALUE_REFUSED: "the bytes are not one plain value",
  SHAPE_REFUSED: "a field is missing, unknown or of the wrong kind",
  NAME_UNKNOWN: "no request has this name in this direction",
  ID_NOT_INCREASING: "a request id is not larger than the last one",
  ANSWER_UNEXPECTED: "an answer to a request that is not open or not yet fully sent",
  CHUNK_UNEXPECTED: "a chunk that nothing open waits for",
  CANCEL_UNEXPECTED: "a cancel of a request never made or not yet fully sent",
  BODY_MISMATCH: "a body has another length than announced",
  BODY_TOO_LARGE: "a body is larger than the cap",
  TOO_MANY_REQUESTS: "more open requests than the cap",
  TRANSPORT_FAILED: "bytes could not be written",
  RECEIVE_FAILED: "this side failed while it handled a frame",
} as const;

/** The machine-readable part of a `ProtocolError`. */
export type ProtocolErrorCode = keyof typeof PROTOCOL_ERROR_CODES;

/** A peer that does not keep the law of the wire, or a value of ours that the wire cannot carry. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: ProtocolErrorCode;

  constructor(code: ProtocolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
