/** Programs for files that the engine lacks or does wrong. Each is loaded when it is first used. */
import type { LazyCommand } from "just-bash";

export const fileProgramCommands: LazyCommand[] = [
  { name: "chmod", load: async () => (await import("./files/chmod.ts")).chmod },
  { name: "cp", load: async () => (await import("./files/cp.ts")).cp },
  { name: "date", load: async () => (await import("./files/date.ts")).date },
  { name: "find", load: async () => (await import("./files/find.ts")).find },
  { name: "ls", load: async () => (await import("./files/ls.ts")).ls },
  { name: "mkdir", load: async () => (await import("./files/make-directories.ts")).mkdir },
  { name: "mv", load: async () => (await import("./files/mv.ts")).mv },
  { name: "rmdir", load: async () => (await import("./files/make-directories.ts")).rmdir },
  { name: "stat", load: async () => (await import("./files/stat.ts")).stat },
  { name: "touch", load: async () => (await import("./files/touch.ts")).touch },
];
