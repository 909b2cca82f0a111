/** Every ledger of claimed rows under the same verbs, and what proves it to be like the model. */
import fc from "fast-check";
import type { WorkLedger, WorkRow } from "../../../src/shared/ledgers/row.ts";
import type { HarnessOrchestrationServices } from "../../../src/shared/orchestration.ts";
import { type Model, newModel } from "./model.ts";
import { type Adapter, type Real, workCommands } from "./work-commands.ts";

type Of = (services: HarnessOrchestrationServices, clock: Real["clock"]) => Adapter;

const asRows = (ledger: unknown) => ledger as WorkLedger<WorkRow>;

const BY_TIME: Readonly<Record<string, Of>> = {
  tasks: ({ tasks }) => ({
    ledger: asRows(tasks),
    create: (id, kind, maxAttempts) => tasks.create({ id, kind, maxAttempts }),
    claim: (kind, options) => tasks.claim({ ...options, kinds: [kind] }),
    complete: (claim) => tasks.complete(claim, { done: 1 }),
  }),
  deadLetters: ({ deadLetters }) => ({
    ledger: asRows(deadLetters),
    create: (id, ledger, maxAttempts) =>
      deadLetters.create({ id, ledger, rowId: "r", reason: "why", maxAttempts }),
    claim: (ledger, options) => deadLetters.claim({ ...options, ledger }),
    complete: (claim) => deadLetters.complete(claim),
  }),
  wakeups: ({ wakeups }) => ({
    ledger: asRows(wakeups),
    isOneGroup: true,
    dueAtMs: 1_000_700,
    create: (id, _, maxAttempts) => wakeups.create({ id, wakeAtMs: 1_000_700, maxAttempts }),
    claim: (_, options) => wakeups.claim(options),
    complete: (claim) => wakeups.complete(claim),
  }),
  runs: ({ runs }) => ({
    ledger: asRows(runs),
    isOneGroup: true,
    create: (id, _, maxAttempts) => runs.create({ id, maxAttempts }),
    claim: (_, options) => runs.claim(options),
    complete: (claim) => runs.complete(claim),
  }),
  continuations: ({ continuations }) => ({
    ledger: asRows(continuations),
    isOneGroup: true,
    async create(id, _, maxAttempts) {
      await continuations.create({ id, maxAttempts });
      return continuations.resolve(id, "answer");
    },
    claim: (_, options) => continuations.claim(options),
    complete: (claim) => continuations.complete(claim),
  }),
};

const IN_LINE: Readonly<Record<string, Of>> = {
  workflowQueues: ({ workflowQueues }) => ({
    ledger: asRows(workflowQueues),
    create: (id, queue, maxAttempts) => workflowQueues.create({ id, queue, maxAttempts }),
    claim: (queue, options) => workflowQueues.claim({ ...options, queue }),
    complete: (claim) => workflowQueues.complete(claim, [1]),
  }),
  signals: ({ signals }) => ({
    ledger: asRows(signals),
    create: (id, target, maxAttempts) => signals.create({ id, target, name: "n", maxAttempts }),
    claim: (target, options) => signals.claim({ ...options, target }),
    complete: (claim) => signals.complete(claim),
  }),
};

export type Ledger = readonly [name: string, order: Model["order"], of: Of];

export const LEDGERS: readonly Ledger[] = [
  ...Object.entries(BY_TIME).map(([name, of]) => [name, "time", of] as const),
  ...Object.entries(IN_LINE).map(([name, of]) => [name, "line", of] as const),
];

/** Gives services without rows at each call. */
export type OpenServices = (now: () => number) => HarnessOrchestrationServices;

/** Rejects when a ledger does something else than the model. */
export function behavesAsModel(
  [_, order, of]: Ledger,
  open: OpenServices,
  { numRuns = 25, maxCommands = 40 } = {},
): Promise<void> {
  return fc.assert(
    fc.asyncProperty(fc.commands(workCommands, { maxCommands, size: "max" }), async (commands) => {
      const clock = { nowMs: 1_000_000 };
      const services = open(() => clock.nowMs);
      const real: Real = { ...of(services, clock), services, clock };
      await fc.asyncModelRun(() => ({ model: newModel(order), real }), commands);
    }),
    { numRuns },
  );
}
