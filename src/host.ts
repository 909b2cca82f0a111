/** `@little-stack/harness/host`: sessions and turns, for applications with a loop or a host of their own. */
export type {
  HarnessHost,
  PersistentDirectory,
  PreparedTurn,
  PrepareTurnOptions,
  TurnArtifact,
  TurnOutcome,
} from "./host/host.ts";
export type { LocalHost, LocalHostOptions } from "./host/local-host.ts";
export type { LocalHarnessSession } from "./host/session.ts";
export type { CreateSessionOptions } from "./host/session-store.ts";
export type { SessionWorkspaceOptions } from "./host/session-workspace.ts";
export type { TurnRecord } from "./host/turn-record.ts";
