/** Programs that tell of the system that the engine lacks or does wrong. Each is loaded when it is first used. */
import type { LazyCommand } from "just-bash";

export const systemProgramCommands: LazyCommand[] = [
  { name: "mktemp", load: async () => (await import("./system/mktemp.ts")).mktemp },
];
