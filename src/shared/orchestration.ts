/** The durable ledgers by which harness processes without state of their own work together. Types only. */
import type { ApprovalLedger } from "./ledgers/approvals.ts";
import type { ArtifactLedger } from "./ledgers/artifacts.ts";
import type { ContinuationLedger } from "./ledgers/continuations.ts";
import type { DeadLetterLedger } from "./ledgers/dead-letters.ts";
import type { LeaseLedger } from "./ledgers/leases.ts";
import type { ResultLedger } from "./ledgers/results.ts";
import type { RunLedger } from "./ledgers/runs.ts";
import type { ScheduleLedger } from "./ledgers/schedules.ts";
import type { SignalLedger } from "./ledgers/signals.ts";
import type { TaskLedger } from "./ledgers/tasks.ts";
import type { WakeupLedger } from "./ledgers/wakeups.ts";
import type { WorkflowQueueLedger } from "./ledgers/workflow-queues.ts";

/** One ledger per property. What a turn reaches through `PreparedTurn.orchestration`. */
export interface HarnessOrchestrationServices {
  readonly tasks: TaskLedger;
  readonly continuations: ContinuationLedger;
  readonly wakeups: WakeupLedger;
  readonly workflowQueues: WorkflowQueueLedger;
  readonly results: ResultLedger;
  readonly runs: RunLedger;
  readonly leases: LeaseLedger;
  readonly approvals: ApprovalLedger;
  readonly schedules: ScheduleLedger;
  readonly signals: SignalLedger;
  readonly artifacts: ArtifactLedger;
  readonly deadLetters: DeadLetterLedger;
}
