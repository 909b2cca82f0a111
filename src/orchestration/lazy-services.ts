/**
 * Services that load the ledgers at their first call: a host has them at hand for every turn, and most turns use none.
 * Types alone are imported here, so that importing the package does not load them either.
 */
import type { HarnessOrchestrationServices } from "../shared/orchestration.ts";
import type { DurableOrchestrationOptions } from "./services.ts";

const LEDGERS: Readonly<Record<keyof HarnessOrchestrationServices, true>> = {
  tasks: true,
  continuations: true,
  wakeups: true,
  workflowQueues: true,
  results: true,
  runs: true,
  leases: true,
  approvals: true,
  schedules: true,
  signals: true,
  artifacts: true,
  deadLetters: true,
};

type Verbs = Readonly<Record<string, (...values: unknown[]) => unknown>>;

/** As `createDurableOrchestrationServices`, which says at the first call what it would have thrown. */
export function lazyDurableServices(options: DurableOrchestrationOptions): HarnessOrchestrationServices {
  let loaded: Promise<HarnessOrchestrationServices> | undefined;
  const load = () => {
    loaded ??= import("./services.ts").then((module) => module.createDurableOrchestrationServices(options));
    return loaded;
  };
  const ledger = (name: string) =>
    new Proxy<Verbs>(
      {},
      {
        get: (_, verb) => {
          // Or `await services.tasks` would take the ledger for a promise.
          if (typeof verb !== "string" || verb === "then") return undefined;
          return async (...values: unknown[]) => {
            const verbs = ((await load()) as unknown as Record<string, Verbs>)[name];
            const call = verbs?.[verb];
            if (call === undefined) throw new TypeError(`orchestration.${name}.${verb} is not a function`);
            return call(...values);
          };
        },
      },
    );
  const entries = Object.keys(LEDGERS).map((name) => [name, ledger(name)]);
  return Object.fromEntries(entries) as HarnessOrchestrationServices;
}
