/** What the engine's changed text calls for output that leaves while a command runs: see `build/engine-faults/files.ts`. */
export { catLive } from "../../src/engine/commands/live-cat.ts";
export { stdoutDeviceOf } from "../../src/engine/control/live.ts";
