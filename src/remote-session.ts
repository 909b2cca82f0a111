/** `@little-stack/harness/remote-session`: the session log, in memory and elsewhere. */
export { memorySessionLog } from "./session-log/memory-log.ts";
export { readRun } from "./session-log/read-run.ts";
export type {
  HarnessSessionLog,
  SessionLogAppend,
  SessionLogEvent,
  SessionLogReadOptions,
} from "./shared/session-log.ts";
