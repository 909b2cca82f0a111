/** Waits for whatever a tool gives back, but not longer than its command lives. */

/**
 * Runs a tool and gives its result: a value, what a promise resolves to, or the last value of an async
 * iterable. Rejects at once when the signal aborts; what the tool does later is dropped, a rejection too.
 */
export async function settleTool(signal: AbortSignal, run: () => unknown): Promise<unknown> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    // The race takes both rejections, so a tool that fails after the abort is no unhandled rejection.
    return await Promise.race([aborted, lastValue(signal, run)]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}

async function lastValue(signal: AbortSignal, run: () => unknown): Promise<unknown> {
  const given = await run();
  if (!isAsyncIterable(given)) return given;
  let last: unknown;
  for await (const value of given) {
    last = value;
    // Leaving the loop calls the generator's `return`, so that its `finally` runs.
    if (signal.aborted) break;
  }
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function"
  );
}
