/** A promise and the hand that settles it. */
export function gate<T = void>(): {
  promise: Promise<T>;
  open: (value: T) => void;
  fail: (error: unknown) => void;
} {
  let open: (value: T) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}
