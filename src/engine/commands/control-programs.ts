/** Programs that run other programs or scripts. Each is loaded when it is first used. */
import type { LazyCommand } from "just-bash";

export const controlProgramCommands: LazyCommand[] = [
  { name: "bash", load: async () => (await import("./control/bash.ts")).bash },
  { name: "sh", load: async () => (await import("./control/bash.ts")).sh },
  { name: "dash", load: async () => (await import("./control/bash.ts")).sh },
  { name: "nohup", load: async () => (await import("./control/nohup.ts")).nohup },
];
