/**
 * Takes stdin and stdout for the wire before anything else is loaded: what prints goes to stderr from here on,
 * which nobody parses.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { original } from "./originals.ts";

const WIRE_FD = 1;
const DIAGNOSTICS_FD = 2;

/** The wire as bytes. */
export interface Wire {
  /** Blocks until the parent has taken the bytes, and `body` after them: back pressure without a queue. */
  write(bytes: Uint8Array, body?: Uint8Array): void;
  /** `onEnd` is called when the parent closes its end. */
  listen(onBytes: (bytes: Uint8Array) => void, onEnd: () => void): void;
}

export function takeStdio(): Wire {
  const { stdin, stderr } = process;
  Object.defineProperty(process, "stdout", { value: stderr, configurable: true });
  redirectFd("writeSync");
  redirectFd("write");
  redirectFd("writevSync");
  redirectFd("writev");
  syncBuiltinESMExports();
  return {
    write(bytes, body) {
      if (body === undefined) return writeRest(bytes, 0);
      const written = writeSome(() => original.writevSync(WIRE_FD, [bytes, body]));
      writeRest(bytes, Math.min(written, bytes.length));
      writeRest(body, Math.max(written - bytes.length, 0));
    },
    listen(onBytes, onEnd) {
      stdin.on("data", onBytes);
      stdin.on("end", onEnd);
      stdin.on("error", onEnd);
    },
  };
}

function writeRest(bytes: Uint8Array, from: number): void {
  for (let at = from; at < bytes.length; ) {
    const start = at;
    at += writeSome(() => original.writeSync(WIRE_FD, bytes, start, bytes.length - start));
  }
}

/** How many bytes were taken. */
function writeSome(write: () => number): number {
  try {
    return write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EAGAIN") {
      original.wait(original.sleepCell, 0, 0, 1);
      return 0;
    }
    // The parent is gone (EPIPE): nobody is left to tell.
    return original.exit(1);
  }
}

/** Libraries that write to descriptor 1 mean «standard output», which is not theirs here. */
function redirectFd(name: "write" | "writeSync" | "writev" | "writevSync"): void {
  const plain = fs[name] as (fd: number, ...rest: unknown[]) => unknown;
  const redirected = (fd: number, ...rest: unknown[]): unknown =>
    plain(fd === WIRE_FD ? DIAGNOSTICS_FD : fd, ...rest);
  Object.defineProperty(fs, name, { value: redirected, configurable: true, writable: true });
}
