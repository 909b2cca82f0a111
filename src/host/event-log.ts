/**
 * `events.ndjson`: one event a line, in order. It only grows; after a crash its last line may lack its end. When it
 * cannot be written it ends at the last whole line, for good: a gap would say that nothing had happened there.
 */
import { type FileHandle, open } from "node:fs/promises";
import { codeOf } from "../storage/error-code.ts";

export class EventLog {
  readonly #path: string;
  readonly #onFailed: (why: string) => void;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;
  #file: FileHandle | undefined;
  #isBroken = false;

  /** @param onFailed called once, when the first write fails; it may append */
  constructor(path: string, onFailed: (why: string) => void) {
    this.#path = path;
    this.#onFailed = onFailed;
  }

  append(event: object): void {
    if (this.#isBroken) return;
    this.#waiting.push(`${toLine(event)}\n`);
    this.#writing ??= this.#write();
  }

  /** Never rejects. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  /** Never rejects. What is appended later opens the file again. */
  async close(): Promise<void> {
    await this.flush();
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined); // all was written before
  }

  async #write(): Promise<void> {
    // One step later, so that what is told in one go is written in one.
    await Promise.resolve();
    try {
      this.#file ??= await open(this.#path, "a", 0o600);
      while (this.#waiting.length > 0) {
        const text = this.#waiting.join("");
        this.#waiting = [];
        await writeWhole(this.#file, Buffer.from(text));
      }
      this.#writing = undefined;
    } catch (error) {
      this.#isBroken = true;
      this.#waiting = [];
      this.#writing = undefined;
      const errno = codeOf(error);
      this.#onFailed(`events.ndjson could not be written${errno === undefined ? "" : `: ${errno}`}`);
    }
  }
}

async function writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  const { size } = await file.stat();
  let at = 0;
  try {
    while (at < bytes.length) at += (await file.write(bytes, at)).bytesWritten;
  } catch (error) {
    const whole = bytes.lastIndexOf("\n", at - 1) + 1;
    await file.truncate(size + (at === 0 ? 0 : whole)).catch(() => undefined); // the error of the write is told
    throw error;
  }
}

/** What is no JSON data, a BigInt, say, that an event of a loop holds, costs the event its fields and not the log its order. */
function toLine(event: object): string {
  try {
    return JSON.stringify(event);
  } catch {
    const { type, id, seq, at, occurrenceId, turnId } = event as Record<string, unknown>;
    return JSON.stringify({ type, id, seq, at, occurrenceId, turnId, notJson: true });
  }
}
