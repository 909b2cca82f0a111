/** Programs for text and data that the engine lacks or does wrong. Each is loaded when it is first used. */
import type { LazyCommand } from "just-bash";

export const textProgramCommands: LazyCommand[] = [
  { name: "od", load: async () => (await import("./text/od.ts")).od },
];
