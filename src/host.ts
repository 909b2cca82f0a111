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
export { type FileJsonStoreOptions, fileJsonStore } from "./orchestration/file-store.ts";
export { memoryJsonStore } from "./orchestration/memory-store.ts";
export {
  createDurableOrchestrationServices,
  createInMemoryOrchestrationServices,
  type DurableOrchestrationOptions,
  type InMemoryOrchestrationOptions,
} from "./orchestration/services.ts";
export { type PostgresJsonStore, postgresJsonStore } from "./postgres/json-store.ts";
export type { PostgresOptions } from "./postgres/postgres-options.ts";
export type {
  DurableJsonStore,
  StoreLock,
  StoreWriteOptions,
  WithLockOptions,
} from "./shared/durable-store.ts";
export type { JsonValue } from "./shared/json.ts";
export type { Approval, ApprovalStatus } from "./shared/ledgers/approvals.ts";
export type { Artifact } from "./shared/ledgers/artifacts.ts";
export type { Continuation } from "./shared/ledgers/continuations.ts";
export type { DeadLetter } from "./shared/ledgers/dead-letters.ts";
export type { Lease } from "./shared/ledgers/leases.ts";
export type { Result } from "./shared/ledgers/results.ts";
export type {
  Claim,
  Claimed,
  ClaimOptions,
  FailOptions,
  LedgerRow,
  ListOptions,
  PruneOptions,
  WorkLedger,
  WorkRow,
  WorkStatus,
} from "./shared/ledgers/row.ts";
export type { Run } from "./shared/ledgers/runs.ts";
export type { Schedule } from "./shared/ledgers/schedules.ts";
export type { Signal } from "./shared/ledgers/signals.ts";
export type { Task } from "./shared/ledgers/tasks.ts";
export type { Wakeup } from "./shared/ledgers/wakeups.ts";
export type { QueueItem, QueueSettings } from "./shared/ledgers/workflow-queues.ts";
export type { HarnessOrchestrationServices } from "./shared/orchestration.ts";
