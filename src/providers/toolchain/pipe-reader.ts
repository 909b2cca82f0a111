/**
 * Reads one named pipe that programs in the jail write to. It lies in a folder that is read-only for them, yet a
 * mount may show that folder again: what is opened is looked at before it is used.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { Socket } from "node:net";

/** Most that a pipe holds. */
const MAX_PIPE_BYTES = 1024 * 1024;

/** Between two reads, of 64 KiB at most, of what is dropped. */
const DROP_PAUSE_MS = 10;

export class PipeReader {
  readonly #fd: number;
  readonly #socket: Socket;
  readonly #onBytes: (bytes: Buffer) => void;
  /** Settles when nobody holds the other end any more. */
  readonly ended: Promise<void>;
  #isEnded = false;

  /** Throws when there is no pipe at the path. */
  constructor(path: string, onBytes: (bytes: Buffer) => void) {
    // Without O_NONBLOCK this would wait for somebody to write.
    this.#fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (!fstatSync(this.#fd).isFIFO()) {
      closeSync(this.#fd);
      throw new Error("what should be a pipe of a command is none");
    }
    this.#onBytes = onBytes;
    this.#socket = new Socket({ fd: this.#fd, readable: true, writable: false });
    this.ended = new Promise((resolve) => {
      this.#socket.once("close", () => {
        this.#isEnded = true;
        resolve();
      });
    });
    this.#socket.on("error", () => undefined); // it closes after that, which is all there is to know
    this.#socket.on("data", onBytes);
  }

  /**
   * Everything that was written until now: a program that stays in the background may hold the pipe for ever. What
   * it writes from now on is read and dropped, so that it does not end by it, and slowly, so that it does not keep
   * the host busy.
   */
  finish(): void {
    if (this.#isEnded) return;
    this.#socket.off("data", this.#onBytes);
    this.#socket.pause();
    const rest: Buffer | null = this.#socket.read();
    if (rest !== null) this.#onBytes(rest);
    this.#drain();
    this.#socket.unref();
    this.#socket.on("data", () => {
      this.#socket.pause();
      setTimeout(() => this.#socket.resume(), DROP_PAUSE_MS).unref();
    });
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  #drain(): void {
    if (this.#socket.destroyed) return;
    const buffer = Buffer.alloc(64 * 1024);
    for (let total = 0; total < MAX_PIPE_BYTES; ) {
      try {
        const count = readSync(this.#fd, buffer);
        if (count === 0) return;
        total += count;
        this.#onBytes(Buffer.from(buffer.subarray(0, count)));
      } catch {
        // EAGAIN: it is empty.
        return;
      }
    }
  }
}
