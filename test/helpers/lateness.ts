/**
 * How late this process's own timers are. A machine with more work than cores runs everybody late; a deadline
 * that is checked beside this measure asks what we add to that, and not how busy the machine is.
 */
const TICK_MS = 10;

/** Measures until the returned function is called, which tells by how many milliseconds a tick was late at most. */
export function measureLateness(): () => number {
  let worstMs = 0;
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    worstMs = Math.max(worstMs, now - last - TICK_MS);
    last = now;
  };
  const timer = setInterval(look, TICK_MS);
  return () => {
    clearInterval(timer);
    look();
    return worstMs;
  };
}
