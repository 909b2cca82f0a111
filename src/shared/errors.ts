/** Every code a `SandboxError` can carry; `http` and `retry` say how a service in front of us should answer. */
export const ERROR_CODES = {
  OPTION_INVALID: { http: 400, retry: false },
  WORKSPACE_INVALID: { http: 400, retry: false },
  TOOLS_WITHOUT_CONTEXT: { http: 400, retry: false },
  TOOL_INVALID: { http: 400, retry: false },
  RENAMED: { http: 400, retry: false },
  ISOLATION_UNAVAILABLE: { http: 500, retry: false },
  NODE_NOT_FOUND: { http: 500, retry: false },
  WORKER_NOT_FOUND: { http: 500, retry: false },
  WORKER_VERSION: { http: 500, retry: false },
  PEER_MISSING: { http: 500, retry: false },
  SESSION_INVALID: { http: 400, retry: false },
  SESSION_NOT_FOUND: { http: 404, retry: false },
  SESSION_EXISTS: { http: 409, retry: false },
  SESSION_BUSY: { http: 409, retry: true },
  TURN_ENDED: { http: 409, retry: false },
  HOST_CLOSED: { http: 409, retry: false },
  DATA_DIR_INVALID: { http: 400, retry: false },
  STORE_CONFLICT: { http: 409, retry: true },
  STORE_FAILED: { http: 503, retry: true },
  SESSION_LOG_INVALID: { http: 400, retry: false },
  SESSION_LOG_CONFLICT: { http: 409, retry: false },
  SESSION_LOG_CORRUPT: { http: 500, retry: false },
  SESSION_LOG_FAILED: { http: 503, retry: true },
  SESSION_LOG_BUSY: { http: 409, retry: true },
  SESSION_LOG_CLOSED: { http: 409, retry: false },
  REPLAY_DIVERGED: { http: 409, retry: false },
  TOOL_OUTCOME_UNKNOWN: { http: 409, retry: false },
  SANDBOX_UNAVAILABLE: { http: 503, retry: true },
  WORKER_EXITED: { http: 503, retry: true },
  WORKER_START_TIMEOUT: { http: 503, retry: true },
  PROTOCOL_BROKEN: { http: 502, retry: false },
  MODEL_FAILED: { http: 502, retry: true },
  SANDBOX_DISPOSED: { http: 409, retry: false },
  FS_ERROR: { http: 422, retry: false },
  TOOL_FAILED: { http: 422, retry: false },
  TOOL_REFUSED: { http: 409, retry: false },
  LOCK_LOST: { http: 409, retry: false },
  LEDGER_INVALID: { http: 400, retry: false },
} as const satisfies Record<string, { http: number; retry: boolean }>;

/** The machine-readable part of a `SandboxError`. */
export type SandboxErrorCode = keyof typeof ERROR_CODES;

const brand = Symbol.for("@little-stack/harness/SandboxError");

/** The one error class of this package. Tell errors apart by `code`, never by message. */
export class SandboxError extends Error {
  readonly code: SandboxErrorCode;
  /** Details for machines; what it holds depends on the code. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    code: SandboxErrorCode,
    message: string,
    data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "SandboxError";
    this.code = code;
    this.data = data;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Whether a value is a `SandboxError`, also one of another copy of this package (a bundle has its own class). Never throws. */
export function isSandboxError(value: unknown): value is SandboxError {
  try {
    return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === true;
  } catch {
    // A proxy that throws: none of ours.
    return false;
  }
}
