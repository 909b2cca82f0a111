/** Every command of ours: those that cover one of the engine's, and those that the engine does not have. */
import type { CustomCommand } from "just-bash";
import { controlProgramCommands } from "./control-programs.ts";
import { env } from "./env.ts";
import { fileProgramCommands } from "./file-programs.ts";
import { largeFileCommands } from "./large-files.ts";
import { printenv } from "./printenv.ts";
import { sleep } from "./sleep.ts";
import { systemProgramCommands } from "./system-programs.ts";
import { textProgramCommands } from "./text-programs.ts";
import { type PartLimiter, timeoutCommand } from "./timeout.ts";
import { trueReasonCommands } from "./true-reason.ts";

export function ownCommands(limiter: PartLimiter): CustomCommand[] {
  return [
    printenv,
    env,
    sleep,
    timeoutCommand(limiter),
    ...trueReasonCommands,
    ...largeFileCommands,
    ...controlProgramCommands,
    ...fileProgramCommands,
    ...systemProgramCommands,
    ...textProgramCommands,
  ];
}
