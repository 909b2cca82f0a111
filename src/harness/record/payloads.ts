/**
 * Texts of any size in records: what is small stands there, what is large is an artifact of the turn, and the record
 * says where it is and what its bytes were. JSON is kept as text, since a log may change the order of keys.
 */
import type { PreparedTurn } from "../../host/host.ts";
import { isRecord } from "../../shared/check-options.ts";
import { SandboxError } from "../../shared/errors.ts";
import type { JsonValue } from "../../shared/json.ts";
import { tellThrown } from "../../shared/redact.ts";
import { type ArtifactReference, keepArtifact, sha256Of } from "../keep-artifact.ts";
import type { RecordData } from "./run-log.ts";

/** A text, or where it is. */
export type Payload = { readonly text: string } | ArtifactReference;

/** UTF-8 bytes of a text that stand in a record. */
export const MAX_INLINE_BYTES = 64 * 1024;

/** UTF-8 bytes of what the model said or got, whose record is to be enough by itself, also elsewhere. */
export const MAX_ANSWER_BYTES = 700 * 1024;

/** A text as its digest alone, when it is large: for what is compared and never read again. */
export function toCompared(given: string): RecordData {
  const text = wellFormed(given);
  if (sizeInRecord(text) <= MAX_INLINE_BYTES) return { text };
  return { sizeBytes: Buffer.byteLength(text), sha256: sha256Of(text) };
}

/** Without halves of surrogate pairs, which UTF-8 cannot say. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

export class Payloads {
  #turn: Pick<PreparedTurn, "artifact" | "sandbox"> | undefined;

  /** From here on large texts have a place. */
  attach(turn: Pick<PreparedTurn, "artifact" | "sandbox">): void {
    this.#turn = turn;
  }

  /**
   * @param name of the artifact, if it is to be one
   * @throws SandboxError `STORE_FAILED` when the artifact cannot be written.
   */
  async keep(name: string, given: string, maxBytes = MAX_INLINE_BYTES): Promise<Payload> {
    const text = wellFormed(given);
    if (sizeInRecord(text) <= maxBytes || this.#turn === undefined) return { text };
    return await keepArtifact(this.#turn, name, text);
  }

  /** @throws SandboxError `REPLAY_DIVERGED` when the artifact is not there any more, or was changed. */
  async read(payload: Payload, what: string): Promise<string> {
    if ("text" in payload) return payload.text;
    const { artifact, sha256 } = payload;
    let bytes: Uint8Array | undefined;
    let why = "it was changed";
    try {
      bytes = await (await this.#turn?.sandbox())?.fs.readFileBuffer(artifact);
    } catch (thrown) {
      why = tellThrown(thrown);
    }
    if (bytes !== undefined && sha256Of(bytes) === sha256) return Buffer.from(bytes).toString();
    const message = `${what} is on record, but its bytes are in ${artifact}, which cannot be used: ${why}. The session of the run has that file.`;
    throw new SandboxError("REPLAY_DIVERGED", message, { artifact, sha256 });
  }
}

/** What a record says of a text; `undefined` for what is none. */
export function toPayload(value: JsonValue | undefined): Payload | undefined {
  if (!isRecord(value)) return undefined;
  const { text, artifact, sizeBytes, sha256 } = value;
  if (typeof text === "string") return { text };
  if (typeof artifact !== "string" || typeof sizeBytes !== "number" || typeof sha256 !== "string")
    return undefined;
  return { artifact, sizeBytes, sha256 };
}

/** Escapes count: a record is JSON. */
function sizeInRecord(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
