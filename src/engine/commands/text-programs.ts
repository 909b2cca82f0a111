/** Programs for text and data that the engine lacks or does wrong. Each is loaded when it is first used. */
import type { LazyCommand } from "just-bash";

export const textProgramCommands: LazyCommand[] = [
  { name: "cut", load: async () => (await import("./text/cut.ts")).cut },
  { name: "od", load: async () => (await import("./text/od.ts")).od },
  { name: "sort", load: async () => (await import("./text/sort.ts")).sort },
  { name: "tr", load: async () => (await import("./text/tr.ts")).tr },
  { name: "uniq", load: async () => (await import("./text/uniq.ts")).uniq },
  { name: "xargs", load: async () => (await import("./text/xargs.ts")).xargs },
];
