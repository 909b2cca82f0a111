/**
 * The watcher thread. Descriptor 3 is a pipe whose other end only the parent holds: the read below returns when
 * the parent is gone, however it went, also while a script keeps the main thread busy for ever.
 */
import { readSync } from "node:fs";

const LIFELINE_FD = 3;
const buffer = new Uint8Array(1);

for (;;) {
  try {
    if (readSync(LIFELINE_FD, buffer) === 0) break;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EINTR" || code === "EAGAIN") continue;
    break;
  }
}
// `process.exit()` in a thread ends the thread only.
process.kill(process.pid, "SIGKILL");
