/** How a worker is told of the compiled form of its code. */

/** What the worker's last argument begins with; the number of the open file's descriptor follows. */
export const CODE_CACHE_ARGUMENT = "--code-cache=";

/** Bytes before V8's own: the SHA-256 of them. */
export const CODE_CACHE_HEADER_BYTES = 32;
