/** The first line of the file: what it is, and an id by which the file beside it knows that it is of this one. */
import { randomBytes } from "node:crypto";

const START = '{"format":"lh.session-log.v1","id":"';
const END = '"}\n';
const ID_LENGTH = 32;

/** Bytes of the line with its newline. */
export const HEADER_BYTES = START.length + ID_LENGTH + END.length;

/** A line with a new id. */
export function newHeader(): { readonly id: string; readonly line: Buffer } {
  const id = randomBytes(ID_LENGTH / 2).toString("hex");
  return { id, line: Buffer.from(START + id + END) };
}

/** What a file begins with: the id of a log, a header that was not written to its end, or another format. */
export function readHeader(bytes: Buffer): { readonly id: string } | "torn" | "other" {
  const text = bytes.toString("latin1", 0, HEADER_BYTES);
  const id = text.slice(START.length, START.length + ID_LENGTH);
  const template = `${START}${id.padEnd(ID_LENGTH, "0")}${END}`;
  if (!template.startsWith(text) || !/^[0-9a-f]*$/.test(id)) return "other";
  return text.length === HEADER_BYTES ? { id } : "torn";
}
