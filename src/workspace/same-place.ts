/**
 * Another process of the host may put a link in the place of a directory between the walk to a path and its use, and
 * the kernel follows it. Linux tells where an open file lies: asked before the first byte is read or written.
 * Where there is no `/proc`, or none to be read (Node's permission model), nothing is checked.
 */
import { Buffer } from "node:buffer";
import { Failure, toErrno } from "./fs-error.ts";
import type { HostPath } from "./host-path.ts";
import { platform, readlinkSync } from "./node-fs.ts";

/** Throws `ELOOP` when an open file is not the one that the path names. */
export function requireSamePlace(fd: number, host: HostPath): void {
  if (platform !== "linux") return;
  let found: Buffer;
  try {
    found = readlinkSync(`/proc/self/fd/${fd}`, { encoding: "buffer" });
  } catch (error) {
    if (["EACCES", "ENOENT", "EPERM"].includes(toErrno(error))) return;
    throw error;
  }
  // A file that lost its name meanwhile is shown with a remark behind it.
  const expected = Buffer.from(host);
  if (!found.subarray(0, expected.length).equals(expected)) throw new Failure("ELOOP");
}
