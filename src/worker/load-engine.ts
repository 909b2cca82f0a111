/**
 * Loads the engine. It copies `globalThis.Headers` as it loads, for `curl` alone, and the first look at that
 * global makes Node.js load its HTTP client with http, http2, tls and zlib. While the engine loads, a stand-in
 * is there that looks when the first headers are made.
 */

type Engine = typeof import("../engine/index.ts");

export async function loadEngine(): Promise<Engine> {
  const restore = deferHeaders(globalThis);
  try {
    return await import("../engine/index.ts");
  } finally {
    restore();
  }
}

/** Puts the stand-in into `scope`; the returned function puts back what was there. */
export function deferHeaders(scope: object): () => void {
  const own = Object.getOwnPropertyDescriptor(scope, "Headers");
  if (own?.configurable !== true) return () => undefined;
  function Headers(...given: unknown[]): object {
    const real = own?.get === undefined ? own?.value : own.get.call(scope);
    return Reflect.construct(real as new () => object, given);
  }
  Object.defineProperty(scope, "Headers", { value: Headers, configurable: true, writable: true });
  return () => Object.defineProperty(scope, "Headers", own);
}
