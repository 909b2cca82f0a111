/** Text ↔ bytes in the encodings that the engine names. */
import { Buffer, constants } from "node:buffer";
import { Failure } from "./fs-error.ts";
import { escapeStrayBytes, unescapeStrayBytes } from "./stray-bytes.ts";

/** Encodings of the engine's file calls. */
export type TextEncoding = "utf8" | "utf-8" | "ascii" | "binary" | "latin1" | "base64" | "hex";

/** How the engine passes an encoding: bare, or in an object. */
export type EncodingOption = TextEncoding | { readonly encoding?: TextEncoding | null | undefined } | null;

/** Longest text that JavaScript can hold, in UTF-16 units; about 512 MiB. */
export const MAX_TEXT_LENGTH = constants.MAX_STRING_LENGTH;

/** The encoding meant. @default "utf8" */
export function encodingOf(option: EncodingOption | undefined): TextEncoding {
  return (typeof option === "object" && option !== null ? option.encoding : option) ?? "utf8";
}

/** Content as bytes. Bytes stay as they are, and are not copied. */
export function toBytes(content: string | Uint8Array, encoding: TextEncoding): Uint8Array {
  if (typeof content !== "string") return content;
  switch (encoding) {
    case "base64":
    case "hex":
      return Buffer.from(content, encoding);
    case "binary":
    case "latin1":
    case "ascii":
      // The engine sometimes calls text "binary"; a unit above 0xFF tells, and cutting it to a byte would destroy it.
      return isOneBytePerUnit(content) ? Buffer.from(content, "latin1") : unescapeStrayBytes(content);
    default:
      return unescapeStrayBytes(content);
  }
}

/** Units of a long text that become bytes at once: with 100 MB in one piece a third copy of it would be held. */
const PIECE_UNITS = 1_048_576;

/** `toBytes` in pieces, for whoever takes one after the other. */
export function* toPieces(content: string | Uint8Array, encoding: TextEncoding): Generator<Uint8Array> {
  const isBytes = encoding === "binary" || encoding === "latin1" || encoding === "ascii";
  if (typeof content === "string" && isBytes && content.length > PIECE_UNITS && isOneBytePerUnit(content)) {
    for (let at = 0; at < content.length; at += PIECE_UNITS)
      yield Buffer.from(content.slice(at, at + PIECE_UNITS), "latin1");
  } else yield toBytes(content, encoding);
}

/** Bytes as text; what is not UTF-8 is escaped under `utf8` (`stray-bytes.ts`). Throws `EFBIG` for what no text can hold. */
export function toText(bytes: Uint8Array, encoding: TextEncoding): string {
  if (bytes.length > MAX_TEXT_LENGTH) throw new Failure("EFBIG");
  if (encoding === "utf8" || encoding === "utf-8") return escapeStrayBytes(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    encoding === "binary" ? "latin1" : encoding,
  );
}

function isOneBytePerUnit(text: string): boolean {
  return !/[^\0-\xff]/.test(text);
}
