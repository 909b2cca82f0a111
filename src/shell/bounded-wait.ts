/** Waits with an end. */

/** What a wait with an end gave. */
export type Bounded<T> = { readonly inTime: true; readonly value: T } | { readonly inTime: false };

/** The promise's value if it settles within the time; its rejection rejects, also handled when it comes late. */
export async function waitAtMost<T>(promise: Promise<T>, waitMs: number): Promise<Bounded<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Bounded<T>>((resolve) => {
    timer = setTimeout(() => resolve({ inTime: false }), waitMs);
  });
  try {
    return await Promise.race([promise.then((value) => ({ inTime: true as const, value })), late]);
  } finally {
    clearTimeout(timer);
  }
}
