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

/**
 * Puts the stand-in into `scope`; the returned function makes it the real class again. The global is not looked at,
 * not even at its property's descriptor, for which Node.js 22 and later load the client: the class of a response's
 * headers is it.
 */
export function deferHeaders(scope: { Response?: typeof Response }): () => void {
  const real = (): unknown => scope.Response && new scope.Response().headers.constructor;
  function Headers(...given: unknown[]): object {
    return Reflect.construct(real() as new () => object, given);
  }
  // Deleted first: defining looks at what is there.
  if (!("Headers" in scope) || !Reflect.deleteProperty(scope, "Headers")) return () => undefined;
  Object.defineProperty(scope, "Headers", { ...PLAIN, value: Headers });
  return () =>
    Object.defineProperty(scope, "Headers", {
      configurable: true,
      get: real,
      set: (value: unknown) => Object.defineProperty(scope, "Headers", { ...PLAIN, value }),
    });
}

const PLAIN = { configurable: true, writable: true };
