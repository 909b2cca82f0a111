/**
 * The worker's end of the lifeline: a socket whose other end only the parent holds. A write of no bytes sends nothing,
 * never blocks, and fails once that end is closed (0.1 ms per look, Linux).
 */
import { writeSync } from "node:fs";

export const LIFELINE_FD = 3;

const nothing = new Uint8Array(0);

/** On some systems sockets do not answer this: there it is never so. */
export function isParentGone(): boolean {
  try {
    writeSync(LIFELINE_FD, nothing, 0, 0);
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "EINTR" && code !== "EAGAIN";
  }
}
