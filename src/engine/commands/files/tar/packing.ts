/** Compression of whole archives and files: gzip is done here, the others are not. */
import { gunzipSync, gzipSync } from "node:zlib";

/** How bytes are packed, by their first ones. */
export function packingOf(bytes: Uint8Array): "gzip" | "bzip2" | "xz" | "zstd" | "compress" | null {
  const starts = (...wanted: number[]): boolean => wanted.every((byte, at) => bytes[at] === byte);
  if (starts(0x1f, 0x8b)) return "gzip";
  if (starts(0x42, 0x5a, 0x68)) return "bzip2";
  if (starts(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0)) return "xz";
  if (starts(0x28, 0xb5, 0x2f, 0xfd)) return "zstd";
  return starts(0x1f, 0x9d) ? "compress" : null;
}

/** Throws where the bytes are no gzip, or cut short. */
export function unpackGzip(bytes: Uint8Array): Uint8Array {
  return gunzipSync(bytes);
}

/** Without a name or time, as a pipe through `gzip` makes it. */
export function packGzip(bytes: Uint8Array, level = 6): Uint8Array {
  return gzipSync(bytes, { level });
}
