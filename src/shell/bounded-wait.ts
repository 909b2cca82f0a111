/** Waits with an end. */

/** What a wait with an end gave. */
export type Bounded<T> = { readonly inTime: true; readonly value: T } | { readonly inTime: false };

/** Longest delay that a timer takes, in milliseconds; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The promise's value if it settles within the time; its rejection rejects, also handled when it comes late. */
export async function waitAtMost<T>(promise: Promise<T>, waitMs: number): Promise<Bounded<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Bounded<T>>((resolve) => {
    timer = setTimeout(() => resolve({ inTime: false }), Math.min(waitMs, MAX_TIMER_MS));
  });
  try {
    return await Promise.race([promise.then((value) => ({ inTime: true as const, value })), late]);
  } finally {
    clearTimeout(timer);
  }
}
