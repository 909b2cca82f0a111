/**
 * CPython's code, compiled once in a process. V8 compiles each function when it is first called, which is most of
 * what a first start costs; a thread that gets the module of an earlier one finds it done.
 */
let compiled: object | undefined;

/** The module, once a thread has sent it. */
export function compiledPython(): object | undefined {
  return compiled;
}

/** Takes the module out of a thread's messages; says whether the message was that. */
export function keepCompiled(message: unknown): boolean {
  if (typeof message !== "object" || message === null || !("compiled" in message)) return false;
  const { compiled: module } = message;
  if (typeof module === "object" && module !== null) compiled = module;
  return true;
}
