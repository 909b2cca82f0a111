/** The engine as a built module: what `dist/worker/engine.js` gives to the worker and the in-process adapter. */
export { defenseLevel } from "./build-bash.ts";
export { createShellFsError } from "./fs-errors.ts";
export { openShell, prepareShell } from "./shell-session.ts";

/** Name and version of the engine, as reports and events carry it; a test compares it with the lock file. */
export const ENGINE_NAME = "just-bash 3.4.2";
