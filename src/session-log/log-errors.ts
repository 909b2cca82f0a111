/** Errors that every log has, in one wording. */
import { SandboxError } from "../shared/errors.ts";

/** Other content under a key that the run has. */
export function conflictError(
  append: { readonly runId: string; readonly appendIdempotencyKey: string },
  sequence: number,
): SandboxError {
  const { runId, appendIdempotencyKey } = append;
  return new SandboxError(
    "SESSION_LOG_CONFLICT",
    `Run ${runId} has other content under the key "${appendIdempotencyKey}", as its event ${sequence}.`,
    { runId, appendIdempotencyKey, sequence },
  );
}

/** A call after `close()`. */
export function closedError(): SandboxError {
  return new SandboxError("SESSION_LOG_CLOSED", "The session log is closed.");
}
