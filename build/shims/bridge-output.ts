/** What `python3` and `js-exec` print, on the worker's side: bytes, held as one character each until the end. */
import { Buffer } from "node:buffer";
import { escapeStrayBytes } from "../../src/workspace/stray-bytes.ts";

interface Output {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Bytes as the engine's `ByteString` holds them. */
export function heldBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** A command's result: standard output stays bytes, standard error is text. */
export function resultOf(output: Output): Output & { readonly stdoutKind: "bytes" } {
  const stderr = escapeStrayBytes(Buffer.from(output.stderr, "latin1"));
  return { ...output, stderr, stdoutKind: "bytes" };
}
