/** Programs for text and data that the engine lacks or does wrong. Each is loaded when it is first used. */
import type { LazyCommand } from "just-bash";

export const textProgramCommands: LazyCommand[] = [
  { name: "column", load: async () => (await import("./text/column.ts")).column },
  { name: "comm", load: async () => (await import("./text/comm.ts")).comm },
  { name: "cut", load: async () => (await import("./text/cut.ts")).cut },
  { name: "diff", load: async () => (await import("./text/diff.ts")).diff },
  { name: "expand", load: async () => (await import("./text/tabs.ts")).expand },
  { name: "fold", load: async () => (await import("./text/fold.ts")).fold },
  { name: "join", load: async () => (await import("./text/join.ts")).join },
  { name: "od", load: async () => (await import("./text/od.ts")).od },
  { name: "paste", load: async () => (await import("./text/paste.ts")).paste },
  { name: "patch", load: async () => (await import("./text/patch.ts")).patch },
  { name: "sort", load: async () => (await import("./text/sort.ts")).sort },
  { name: "tr", load: async () => (await import("./text/tr.ts")).tr },
  { name: "unexpand", load: async () => (await import("./text/tabs.ts")).unexpand },
  { name: "uniq", load: async () => (await import("./text/uniq.ts")).uniq },
  { name: "xargs", load: async () => (await import("./text/xargs.ts")).xargs },
  { name: "nl", load: async () => (await import("./text/nl.ts")).nl },
  { name: "fmt", load: async () => (await import("./text/fmt.ts")).fmt },
  { name: "envsubst", load: async () => (await import("./text/envsubst.ts")).envsubst },
  { name: "iconv", load: async () => (await import("./text/iconv.ts")).iconv },
  { name: "csplit", load: async () => (await import("./text/csplit.ts")).csplit },
  { name: "numfmt", load: async () => (await import("./text/numfmt.ts")).numfmt },
];
