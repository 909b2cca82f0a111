/**
 * The two streams of the command line, byte for byte. A reader that leaves early (`| head -1`) is not an
 * error to print: it ends the command, as SIGPIPE would. Only `exec` writes through here.
 */
export interface Output {
  /** Writes bytes as they are; drops them once the reader is gone. */
  write(chunk: Uint8Array | string): void;
  /** Resolves when everything written has left, or the reader is gone. */
  flushed(): Promise<void>;
}

/** Wraps a stream; `onClosed` is called once when its reader goes away. */
export function openOutput(stream: NodeJS.WriteStream, onClosed: () => void): Output {
  let closed = false;
  stream.on("error", () => {
    // EPIPE or any other broken stream: there is nobody left to tell.
    if (closed) return;
    closed = true;
    onClosed();
  });
  return {
    write(chunk) {
      if (!closed) stream.write(chunk);
    },
    flushed() {
      // The callback of an empty write comes after those of all earlier ones; on a broken stream it gets the error.
      return closed ? Promise.resolve() : new Promise((resolve) => stream.write("", () => resolve()));
    },
  };
}
