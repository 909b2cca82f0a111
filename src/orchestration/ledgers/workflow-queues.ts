/** Workflow queues: lines by name, each worked off in its order. */
import type { QueueItem, QueueSettings, WorkflowQueueLedger } from "../../shared/ledgers/workflow-queues.ts";
import { checkBoolean, checkId, checkInteger, checkOptions } from "../check.ts";
import { toJsonValue } from "../json-text.ts";
import { byPosition, claimInLine, nextPosition } from "../order.ts";
import { CREATE_OPTIONS, type LedgerContext, WorkCore } from "../work-core.ts";
import { workVerbs } from "../work-verbs.ts";

const DEFAULTS: QueueSettings = { concurrency: 1, isPaused: false };

export function createWorkflowQueueLedger(context: LedgerContext): WorkflowQueueLedger {
  const core = new WorkCore<QueueItem>(context, {
    ledger: "workflowQueues",
    orderOf: (row) => byPosition(row, row.queue),
  });
  const { store, prefix } = context;
  const path = (queue: string) => `${prefix}workflow-queues/settings/${queue}`;
  const read = async (queue: string): Promise<QueueSettings> => ({
    ...DEFAULTS,
    ...((await store.readJson(path(queue))) as Partial<QueueSettings> | undefined),
  });
  return {
    ...workVerbs(core, ["queue"]),
    async create(options) {
      checkOptions("create", options, [...CREATE_OPTIONS, "queue", "input"]);
      const queue = checkId("queue", options.queue);
      const input = toJsonValue("input", options.input);
      return core.create(options, [queue, input], async (base, change) => {
        const position = await nextPosition(change, queue);
        return { ...base, queue, position, input, output: null };
      });
    },
    async claim(options) {
      checkOptions("claim", options, ["owner", "leaseMs", "queue"]);
      const queue = checkId("queue", options.queue);
      return claimInLine(core, queue, options, async () => {
        const { concurrency, isPaused } = await read(queue);
        return isPaused ? 0 : concurrency;
      });
    },
    async complete(claim, output) {
      const value = toJsonValue("output", output);
      return core.complete(claim, (row) => ({ ...row, output: value }));
    },
    async configure(queue, settings = {}) {
      checkId("queue", queue);
      checkOptions("configure", settings, Object.keys(DEFAULTS));
      if (settings.concurrency !== undefined) checkInteger("concurrency", settings.concurrency, 1, 10_000);
      if (settings.isPaused !== undefined) checkBoolean("isPaused", settings.isPaused);
      if (Object.keys(settings).length === 0) return read(queue);
      return store.withLock(`${prefix}workflow-queues`, {}, async (lock) => {
        const before = await read(queue);
        const after = {
          concurrency: settings.concurrency ?? before.concurrency,
          isPaused: settings.isPaused ?? before.isPaused,
        };
        await store.writeJson(path(queue), after, { lock });
        return after;
      });
    },
  };
}
