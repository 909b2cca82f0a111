/** SHA-256 of a file on the host. Opens regular files only, follows no link, never blocks on a FIFO. */
import { Buffer } from "node:buffer";
import type { Stats } from "node:fs";
import { toErrno } from "./fs-error.ts";
import type { HostPath } from "./host-path.ts";
import { closeSync, createHash, fstatSync, OPEN, openSync, readSync } from "./node-fs.ts";

/** What was read; both absent when the file is there but closed to us. */
export interface FileDigest {
  readonly stats?: Stats;
  /** Lower-case hex. */
  readonly sha256?: string;
}

// One for all: between two pauses nothing of it is needed any more, so no two files use it at once.
const block = Buffer.allocUnsafeSlow(1 << 20);

/**
 * Reads a file, with a pause after each MiB; `"gone"` when the name no longer leads to a regular file, `"late"` when
 * it was not read by `untilMs` (`performance.now()`).
 */
export function* digestFile(host: HostPath, untilMs: number): Generator<void, FileDigest | "gone" | "late"> {
  if (performance.now() > untilMs) return "late";
  let fd: number;
  try {
    fd = openSync(host, OPEN.read);
  } catch (error) {
    return ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(toErrno(error)) ? "gone" : {};
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return "gone";
    const hash = createHash("sha256");
    for (let length = readSync(fd, block); length > 0; length = readSync(fd, block)) {
      hash.update(block.subarray(0, length));
      if (performance.now() > untilMs) return "late";
      if (length === block.length) yield;
    }
    return { stats, sha256: hash.digest("hex") };
  } catch {
    return {}; // an input error of the disk: compared by size and ctime, as a file closed to us is
  } finally {
    closeSync(fd);
  }
}
