/** What the AI SDK throws → an error of ours: the model's failure, or a request that no model would take. */
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import { tellThrown } from "../shared/redact.ts";

interface SdkError {
  readonly name?: unknown;
  readonly lastError?: unknown;
  readonly errors?: unknown;
  readonly statusCode?: unknown;
  readonly isRetryable?: unknown;
  readonly responseHeaders?: { readonly [name: string]: unknown };
}

/** Errors of the AI SDK that say the request itself is wrong: they come before the model is asked. */
const OF_THE_REQUEST =
  /^AI_(?:Invalid(?:Prompt|Argument|MessageRole|DataContent)|MissingToolResults|UnsupportedModelVersion|MessageConversion)Error$/;

/**
 * `OPTION_INVALID`, or `MODEL_FAILED` with what is known about trying again: `step`, `attempts`, `statusCode`,
 * `isRetryable`, `retryAfterMs`. The error as it came is its `cause`.
 */
export function toModelFailure(thrown: unknown, step: number): SandboxError {
  if (isSandboxError(thrown)) return thrown;
  const outer = (typeof thrown === "object" && thrown !== null ? thrown : {}) as SdkError;
  const last = outer.lastError ?? thrown;
  const inner = (typeof last === "object" && last !== null ? last : {}) as SdkError;
  if (typeof inner.name === "string" && OF_THE_REQUEST.test(inner.name)) {
    return new SandboxError("OPTION_INVALID", tellThrown(last), { step }, { cause: thrown });
  }
  const { statusCode, isRetryable, responseHeaders } = inner;
  const retryAfterMs = toRetryAfterMs(responseHeaders?.["retry-after-ms"], responseHeaders?.["retry-after"]);
  const data = {
    step,
    ...(Array.isArray(outer.errors) ? { attempts: outer.errors.length } : {}),
    ...(typeof statusCode === "number" ? { statusCode } : {}),
    ...(typeof isRetryable === "boolean" ? { isRetryable } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  return new SandboxError("MODEL_FAILED", `The model failed in step ${step}: ${tellThrown(last)}`, data, {
    cause: thrown,
  });
}

function toRetryAfterMs(milliseconds: unknown, seconds: unknown): number | undefined {
  const given = typeof milliseconds === "string" ? Number(milliseconds) : Number(seconds) * 1000;
  return Number.isFinite(given) && given >= 0 ? given : undefined;
}
