import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Completion } from "./complete.ts";
import { isKept, MAX_ENTRIES } from "./history.ts";
import type { LineSource, Reading } from "./line-source.ts";

/** The two ends of a terminal. Any stream will do; only a real one has modes. */
export interface TerminalEnds {
  readonly input: Readable & { readonly setRawMode?: (isRaw: boolean) => unknown };
  readonly output: Writable;
}

export interface TerminalLinesOptions extends TerminalEnds {
  /** Must not reject. */
  readonly complete: (before: string) => Promise<Completion>;
  /** Oldest first. */
  readonly history: readonly string[];
  /** Ctrl-C when nobody asks for a line: it was typed before the terminal had its own mode again. */
  readonly onEarlyInterrupt: () => void;
}

/** Lines typed at a prompt, with editing, completion and history. */
export class TerminalLines implements LineSource {
  readonly #input: TerminalEnds["input"];
  readonly #output: Writable;
  readonly #readline: Interface;
  /** Typed, or pasted, while nobody asked. */
  readonly #early: Reading[] = [];
  readonly #onEarlyInterrupt: () => void;
  #asker: ((reading: Reading) => void) | undefined;
  #hasEnded = false;

  constructor({ input, output, complete, history, onEarlyInterrupt }: TerminalLinesOptions) {
    this.#onEarlyInterrupt = onEarlyInterrupt;
    this.#input = input;
    this.#output = output;
    this.#readline = createInterface({
      input,
      output,
      terminal: true,
      history: [...history].reverse(),
      historySize: MAX_ENTRIES,
      removeHistoryDuplicates: true,
      completer: (before: string, answer: (error: null, completion: Completion) => void) => {
        void complete(before).then((completion) => answer(null, completion));
      },
    });
    this.#readline.on("line", (line) => {
      // At once: what is typed from here on is for the command, Ctrl-C first of all.
      this.release();
      this.#tell({ is: "line", line });
    });
    this.#readline.on("SIGINT", () => this.#interrupt());
    const onEnd = (): void => {
      this.#hasEnded = true;
      this.#asker?.({ is: "ended" });
    };
    this.#readline.on("close", onEnd);
    // The terminal is gone.
    this.#readline.on("error", onEnd);
    input.on("error", onEnd);
    // The list is the readline's own, and this is where an entry may still be taken out of it.
    this.#readline.on("history", (entries: string[]) => {
      if (entries[0] !== undefined && !isKept(entries[0])) entries.shift();
    });
    this.#readline.pause();
  }

  async next(prompt: string): Promise<Reading> {
    const early = this.#early.shift();
    if (early !== undefined) return early;
    if (this.#hasEnded) return { is: "ended" };
    this.#input.setRawMode?.(true);
    this.#readline.setPrompt(prompt);
    const reading = new Promise<Reading>((resolve) => {
      this.#asker = resolve;
    });
    this.#readline.prompt(true);
    const read = await reading;
    this.#asker = undefined;
    return read;
  }

  release(): void {
    if (this.#hasEnded) return;
    this.#readline.pause();
    this.#input.setRawMode?.(false);
  }

  close(): void {
    this.#readline.close();
  }

  #tell(reading: Reading): void {
    if (this.#asker === undefined) this.#early.push(reading);
    else {
      this.#asker(reading);
      this.#asker = undefined;
    }
  }

  #interrupt(): void {
    if (this.#asker === undefined) {
      this.#early.length = 0;
      this.#onEarlyInterrupt();
      return;
    }
    // Clears the line as the keys for it do: to its end, then to its begin.
    this.#readline.write(null, { ctrl: true, name: "e" });
    this.#readline.write(null, { ctrl: true, name: "u" });
    this.#output.write("^C\n");
    this.#tell({ is: "interrupted" });
  }
}
