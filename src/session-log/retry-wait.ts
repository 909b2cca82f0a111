/** How long a client waits before it sends a request again. */

/** Before the second attempt; each later one waits twice as long. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5_000;
/** A service may ask for a pause, not for a stop. */
const MAX_RETRY_AFTER_MS = 30_000;

/**
 * The back-off after `attempt` attempts, or what the service asked for, if that is longer. Half of it is left to chance,
 * so that clients that failed together do not come back together.
 */
export function retryWaitMs(attempt: number, retryAfterMs = 0): number {
  const backOff = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
  const chance = 0.5 + Math.random() / 2;
  return retryAfterMs > backOff
    ? Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) + backOff * (1 - chance)
    : backOff * chance;
}

/** `Retry-After`, in seconds or as a date, in milliseconds from now; undefined when it is neither. */
export function parseRetryAfter(header: string | null, now = Date.now()): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // The one form that senders may use; `Date.parse` alone takes nearly anything.
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
