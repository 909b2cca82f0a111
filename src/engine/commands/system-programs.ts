/** Programs that tell of the system that the engine lacks or does wrong. Each is loaded when it is first used. */
import type { LazyCommand } from "just-bash";

export const systemProgramCommands: LazyCommand[] = [
  { name: "mktemp", load: async () => (await import("./system/mktemp.ts")).mktemp },
  { name: "realpath", load: async () => (await import("./system/realpath.ts")).realpath },
  { name: "readlink", load: async () => (await import("./system/readlink.ts")).readlink },
  { name: "id", load: async () => (await import("./system/identity.ts")).id },
  { name: "groups", load: async () => (await import("./system/identity.ts")).groups },
  { name: "logname", load: async () => (await import("./system/identity.ts")).logname },
  { name: "users", load: async () => (await import("./system/identity.ts")).users },
  { name: "who", load: async () => (await import("./system/identity.ts")).who },
  { name: "tty", load: async () => (await import("./system/identity.ts")).tty },
  { name: "uname", load: async () => (await import("./system/machine.ts")).uname },
  { name: "arch", load: async () => (await import("./system/machine.ts")).arch },
  { name: "nproc", load: async () => (await import("./system/machine.ts")).nproc },
  { name: "getconf", load: async () => (await import("./system/machine.ts")).getconf },
  { name: "truncate", load: async () => (await import("./system/truncate.ts")).truncate },
  { name: "cmp", load: async () => (await import("./system/cmp.ts")).cmp },
  { name: "yes", load: async () => (await import("./system/yes.ts")).yes },
  { name: "shuf", load: async () => (await import("./system/shuf.ts")).shuf },
  { name: "dd", load: async () => (await import("./system/dd.ts")).dd },
  { name: "install", load: async () => (await import("./system/install.ts")).install },
  { name: "tput", load: async () => (await import("./system/tput.ts")).tput },
  { name: "xxd", load: async () => (await import("./system/xxd.ts")).xxd },
  { name: "hexdump", load: async () => (await import("./system/hexdump.ts")).hexdump },
  { name: "hd", load: async () => (await import("./system/hexdump.ts")).hd },
  { name: "bc", load: async () => (await import("./system/bc.ts")).bc },
];
