/**
 * Output of a tool that is too large for a model: the whole goes into a file below `/artifacts`, byte for byte, the
 * model gets head, tail and where the file is.
 */
import type { PreparedTurn } from "../host/host.ts";
import { BoundedBytes } from "../shared/bounded-bytes.ts";
import { tellThrown } from "../shared/redact.ts";
import { type ArtifactReference, keepArtifact } from "./keep-artifact.ts";

/** A text that the model gets; `kept` when it is not the whole. */
export interface FittedText {
  readonly text: string;
  readonly kept?: ArtifactReference | { readonly notKept: string };
}

export class LargeOutputs {
  readonly #turn: Pick<PreparedTurn, "artifact">;
  readonly #maxInlineBytes: number;

  constructor(turn: Pick<PreparedTurn, "artifact">, maxInlineBytes: number) {
    this.#turn = turn;
    this.#maxInlineBytes = maxInlineBytes;
  }

  /** Two streams of one command share the room: what one leaves, the other may use. */
  async fitStreams(
    name: string,
    stdout: Uint8Array,
    stderr: Uint8Array,
  ): Promise<{ stdout: FittedText; stderr: FittedText }> {
    const half = Math.floor(this.#maxInlineBytes / 2);
    const forStderr = Math.max(half, this.#maxInlineBytes - stdout.length);
    const forStdout = Math.max(half, this.#maxInlineBytes - stderr.length);
    return {
      stdout: await this.#fit(`${name}-stdout.txt`, stdout, forStdout),
      stderr: await this.#fit(`${name}-stderr.txt`, stderr, forStderr),
    };
  }

  /** JSON text of a tool's result → the value that the model gets. A long string is kept as the text it is. */
  async fitJson(name: string, json: string): Promise<unknown> {
    if (json === "") return null;
    const value: unknown = JSON.parse(json);
    if (Buffer.byteLength(json) <= this.#maxInlineBytes) return value;
    const isText = typeof value === "string";
    const whole = Buffer.from(isText ? value : json);
    if (whole.length <= this.#maxInlineBytes) return value;
    const { text, kept } = await this.#fit(`${name}.${isText ? "txt" : "json"}`, whole, this.#maxInlineBytes);
    return { ...kept, summary: text };
  }

  async #fit(name: string, bytes: Uint8Array, maxBytes: number): Promise<FittedText> {
    if (bytes.length <= maxBytes) return { text: toText(bytes) };
    const shortened = new BoundedBytes(maxBytes);
    shortened.push(bytes);
    return { text: toText(shortened.take().bytes), kept: await this.#keep(name, bytes) };
  }

  // A full disk must not take the part of the output that the model can have.
  async #keep(name: string, bytes: Uint8Array): Promise<NonNullable<FittedText["kept"]>> {
    try {
      return await keepArtifact(this.#turn, name, bytes);
    } catch (thrown) {
      return { notKept: `the whole output could not be written to a file: ${tellThrown(thrown)}` };
    }
  }
}

function toText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
