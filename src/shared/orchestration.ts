/** The durable ledgers by which harness processes without state of their own work together. Types only. */

/** What a turn reaches them through: one ledger per property. */
export type HarnessOrchestrationServices = object;
