/**
 * Services that load the ledgers at their first call: a host has them at hand for every turn, and most turns use none.
 * Types alone are imported here, so that importing the package does not load them either.
 */
import type { HarnessOrchestrationServices } from "../shared/orchestration.ts";
import type { DurableOrchestrationOptions } from "./services.ts";

type LedgerName = keyof HarnessOrchestrationServices;

const WORK = { get: true, list: true, renew: true, fail: true, cancel: true, prune: true } as const;
const QUEUED = { ...WORK, create: true, claim: true, complete: true } as const;
const KEPT = { create: true, get: true, list: true, remove: true, prune: true } as const;

/** All that is a function before the ledgers are loaded: what is printed or awaited asks for other keys. */
const VERBS: {
  readonly [Name in LedgerName]: Readonly<Record<keyof HarnessOrchestrationServices[Name], true>>;
} = {
  tasks: QUEUED,
  continuations: { ...QUEUED, resolve: true },
  wakeups: { ...QUEUED, move: true },
  workflowQueues: { ...QUEUED, configure: true },
  results: KEPT,
  runs: { ...QUEUED, save: true, wait: true, wake: true },
  leases: { claim: true, renew: true, check: true, release: true, cancel: true, get: true, list: true },
  approvals: { create: true, get: true, list: true, complete: true, cancel: true, prune: true },
  schedules: QUEUED,
  signals: QUEUED,
  artifacts: KEPT,
  deadLetters: QUEUED,
};

type Ledger = Readonly<Record<string, (...values: unknown[]) => unknown>>;

/** As `createDurableOrchestrationServices`, which says at the first call what it would have thrown. */
export function lazyDurableServices(options: DurableOrchestrationOptions): HarnessOrchestrationServices {
  let loaded: Promise<HarnessOrchestrationServices> | undefined;
  const load = () => {
    loaded ??= import("./services.ts").then((module) => module.createDurableOrchestrationServices(options));
    return loaded;
  };
  const verbOf =
    (name: string, verb: string) =>
    async (...values: unknown[]) => {
      const services = (await load()) as unknown as Readonly<Record<string, Ledger>>;
      return services[name]?.[verb]?.(...values);
    };
  const entries = Object.entries(VERBS).map(([name, verbs]) => [
    name,
    Object.fromEntries(Object.keys(verbs).map((verb) => [verb, verbOf(name, verb)])),
  ]);
  return Object.fromEntries(entries) as HarnessOrchestrationServices;
}
