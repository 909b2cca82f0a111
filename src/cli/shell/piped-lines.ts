import type { Readable } from "node:stream";
import type { LineSource, Reading } from "./line-source.ts";

/**
 * Lines of a stream, as they come. Only a newline ends a line; `node:readline` would take U+2028 and a lone return as
 * well, which scripts may hold.
 */
export class PipedLines implements LineSource {
  readonly #input: Readable;
  readonly #lines: AsyncGenerator<string>;

  constructor(input: Readable) {
    this.#input = input;
    this.#lines = readLines(input);
  }

  async next(): Promise<Reading> {
    const { done, value } = await this.#lines.next();
    return done === true ? { is: "ended" } : { is: "line", line: value };
  }

  release(): void {
    // Nobody types.
  }

  close(): void {
    this.#input.destroy();
  }
}

async function* readLines(input: Readable): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  for await (const given of input) {
    const chunk = Buffer.from(given as Buffer | string);
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      pieces.push(chunk.subarray(from, end));
      yield Buffer.concat(pieces).toString("utf8");
      pieces = [];
      from = end + 1;
    }
    pieces.push(chunk.subarray(from));
  }
  const rest = Buffer.concat(pieces).toString("utf8");
  if (rest !== "") yield rest;
}
