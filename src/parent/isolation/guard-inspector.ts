/**
 * SIGUSR1 makes a Node.js process open its inspector, through which anybody on this machine can run code in it. A
 * worker that a guest took over could send it. With a listener of any kind the signal opens nothing.
 */
import { isMainThread } from "node:worker_threads";
import type { Wall } from "../walls.ts";

const ignore = (): void => undefined;

/**
 * Takes SIGUSR1 from the inspector, for the life of this process: without its last listener the signal would end
 * the process, since Node does not hand it back. A listener keeps no event loop running.
 */
export function guardInspector(): void {
  if (process.platform === "win32" || !isMainThread) return;
  if (!process.listeners("SIGUSR1").includes(ignore)) process.on("SIGUSR1", ignore);
}

/** Whether the guard stands, as one wall of the report. */
export function inspectorWall(platform: string = process.platform): Wall {
  const name = "inspector of the parent against an escaped guest";
  if (platform === "win32") {
    // `process._debugProcess(pid)` opens it there by a thread made inside the other process, past any listener.
    return {
      name,
      state: "not-claimed",
      reason: "on Windows it is not opened by a signal that could be taken",
    };
  }
  if (!isMainThread) {
    return { name, state: "not-claimed", reason: "only the main thread can listen for SIGUSR1" };
  }
  return process.listenerCount("SIGUSR1") > 0
    ? { name, state: "holds", reason: "SIGUSR1 has a listener in the parent" }
    : { name, state: "open", reason: "somebody took the listener of SIGUSR1 away" };
}
