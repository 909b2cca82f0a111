/**
 * A device through which Python's own modules (`shims/python/`) ask for what Emscripten lacks: a hard link, a
 * wait that does not spin. A request is one write: a word, then its fields, with NULs in between.
 */
import type { Backend } from "./python-files.ts";
import { errnoOf } from "./python-files.ts";

/** Operations of the device; failures carry Emscripten's numbers. */
export function controlDevice(
  backend: Backend,
  ErrnoError: new (errno: number) => Error,
): {
  write(stream: object, buffer: Int8Array, offset: number, length: number): number;
} {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const { wait } = Atomics;
  return {
    write(_stream, buffer, offset, length) {
      const text = Buffer.from(Uint8Array.from(buffer.subarray(offset, offset + length))).toString();
      const [word, ...fields] = text.split("\0");
      try {
        if (word === "link") backend.link(fields[0] ?? "", fields[1] ?? "");
        if (word === "sleep") wait(cell, 0, 0, Number(fields[0]) * 1000);
      } catch (error) {
        throw new ErrnoError(errnoOf(error));
      }
      return length;
    },
  };
}
