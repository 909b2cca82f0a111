/** `@little-stack/harness/remote-session`: the session log, in memory and elsewhere. */

export type { PostgresOptions } from "./postgres/postgres-options.ts";
export { postgresSessionLog } from "./postgres/session-log.ts";
export { type RemoteSessionLogOptions, remoteSessionLog } from "./session-log/client.ts";
export { type FileSessionLogOptions, fileSessionLog } from "./session-log/file-log.ts";
export { memorySessionLog } from "./session-log/memory-log.ts";
export { readRun } from "./session-log/read-run.ts";
export {
  type SessionLogServer,
  type SessionLogServerLimits,
  type SessionLogServerOptions,
  startSessionLogServer,
} from "./session-log/server.ts";
export {
  type SessionLogFinding,
  type SessionLogHead,
  type SessionLogReport,
  type VerifySessionLogOptions,
  verifySessionLog,
} from "./session-log/verify.ts";
export type {
  HarnessSessionLog,
  SessionLogAppend,
  SessionLogEvent,
  SessionLogReadOptions,
} from "./shared/session-log.ts";
