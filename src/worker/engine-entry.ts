/** `dist/worker/engine.js`: the engine for a process that is no worker, out of the same core. */
import { loadCore } from "./load-core.ts";

export const { ENGINE_NAME, createShellFsError, defenseLevel, openShell } = loadCore(
  import.meta.url,
).engine();
