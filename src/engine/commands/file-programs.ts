/** Programs for files that the engine lacks or does wrong. Each is loaded when it is first used. */
import type { LazyCommand } from "just-bash";

export const fileProgramCommands: LazyCommand[] = [
  { name: "chmod", load: async () => (await import("./files/chmod.ts")).chmod },
  { name: "cp", load: async () => (await import("./files/cp.ts")).cp },
  { name: "date", load: async () => (await import("./files/date.ts")).date },
  { name: "du", load: async () => (await import("./files/du.ts")).du },
  { name: "find", load: async () => (await import("./files/find.ts")).find },
  { name: "ln", load: async () => (await import("./files/ln.ts")).ln },
  { name: "ls", load: async () => (await import("./files/ls.ts")).ls },
  { name: "mkdir", load: async () => (await import("./files/make-directories.ts")).mkdir },
  { name: "mv", load: async () => (await import("./files/mv.ts")).mv },
  { name: "rm", load: async () => (await import("./files/rm.ts")).rm },
  { name: "rmdir", load: async () => (await import("./files/make-directories.ts")).rmdir },
  { name: "stat", load: async () => (await import("./files/stat.ts")).stat },
  { name: "tar", load: async () => (await import("./files/tar/tar.ts")).tar },
  { name: "touch", load: async () => (await import("./files/touch.ts")).touch },
  { name: "tree", load: async () => (await import("./files/tree.ts")).tree },
  { name: "unzip", load: async () => (await import("./files/zip/unzip.ts")).unzip },
  { name: "zip", load: async () => (await import("./files/zip/zip.ts")).zip },
];
