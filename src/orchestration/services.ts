/** `createDurableOrchestrationServices()` and `createInMemoryOrchestrationServices()`: twelve ledgers over one store. */
import { createHash } from "node:crypto";
import { invalidOption, refuseUnknownOptions } from "../shared/check-options.ts";
import type { DurableJsonStore } from "../shared/durable-store.ts";
import type { DeadLetterLedger } from "../shared/ledgers/dead-letters.ts";
import type { WorkRow } from "../shared/ledgers/row.ts";
import type { HarnessOrchestrationServices } from "../shared/orchestration.ts";
import { checkTime } from "./check.ts";
import { fileJsonStore } from "./file-store.ts";
import { createApprovalLedger } from "./ledgers/approvals.ts";
import { createArtifactLedger } from "./ledgers/artifacts.ts";
import { createContinuationLedger } from "./ledgers/continuations.ts";
import { createDeadLetterLedger } from "./ledgers/dead-letters.ts";
import { createLeaseLedger } from "./ledgers/leases.ts";
import { createResultLedger } from "./ledgers/results.ts";
import { createRunLedger } from "./ledgers/runs.ts";
import { createScheduleLedger } from "./ledgers/schedules.ts";
import { createSignalLedger } from "./ledgers/signals.ts";
import { createTaskLedger } from "./ledgers/tasks.ts";
import { createWakeupLedger } from "./ledgers/wakeups.ts";
import { createWorkflowQueueLedger } from "./ledgers/workflow-queues.ts";
import { memoryJsonStore } from "./memory-store.ts";
import type { LedgerContext } from "./work-core.ts";

/** What the services are made with. */
export interface InMemoryOrchestrationOptions {
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** Where the ledgers are kept. */
export interface DurableOrchestrationOptions extends InMemoryOrchestrationOptions {
  /** The directory of the ledgers; with a `store`, what the paths in it begin with. Needed without a `store`. */
  readonly rootDir?: string | undefined;
  /** Your own store. @default files below `rootDir` */
  readonly store?: DurableJsonStore | undefined;
}

const STORE_METHODS = ["readJson", "writeJson", "remove", "listDir", "withLock"] as const;

/**
 * Ledgers that outlive the process and that other processes share: over files, or over your own store. Touches
 * neither until a ledger is used.
 *
 * @throws SandboxError `OPTION_INVALID` that names the option, and what a store lacks.
 */
export function createDurableOrchestrationServices(
  options: DurableOrchestrationOptions,
): HarnessOrchestrationServices {
  const { rootDir, store, now } = checkOptions(options, ["rootDir", "store", "now"]);
  if (rootDir !== undefined && (typeof rootDir !== "string" || rootDir === "")) {
    throw invalidOption("rootDir", "the path of a directory");
  }
  if (store !== undefined) return createServices(checkStore(store), toPrefix(rootDir ?? ""), now);
  if (rootDir === undefined)
    throw invalidOption("rootDir", "the path of a directory, or there must be a store");
  return createServices(fileJsonStore({ rootDir }), "", now);
}

/** Ledgers that live as long as this object: for tests, and for one process that needs no others. */
export function createInMemoryOrchestrationServices(
  options: InMemoryOrchestrationOptions = {},
): HarnessOrchestrationServices {
  const { now } = checkOptions(options, ["now"]);
  return createServices(memoryJsonStore(), "", now);
}

function createServices(
  store: DurableJsonStore,
  prefix: string,
  now: (() => number) | undefined,
): HarnessOrchestrationServices {
  if (now !== undefined && typeof now !== "function") throw invalidOption("now", "a function");
  const read = now ?? Date.now;
  const clock = { store, prefix, now: () => checkTime("now()", Math.floor(read())) };
  // The last place: what fails there stays there, as `failed`.
  const deadLetters = createDeadLetterLedger({ ...clock, bury: async () => undefined });
  const context: LedgerContext = { ...clock, bury: (...what) => bury(deadLetters, ...what) };
  return {
    tasks: createTaskLedger(context),
    continuations: createContinuationLedger(context),
    wakeups: createWakeupLedger(context),
    workflowQueues: createWorkflowQueueLedger(context),
    results: createResultLedger(context),
    runs: createRunLedger(context),
    leases: createLeaseLedger(context),
    approvals: createApprovalLedger(context),
    schedules: createScheduleLedger(context),
    signals: createSignalLedger(context),
    artifacts: createArtifactLedger(context),
    deadLetters,
  };
}

/** One letter per row and last token, whoever finds the row first and how often. */
async function bury(letters: DeadLetterLedger, ledger: string, row: WorkRow, reason: string): Promise<void> {
  const name = createHash("sha256").update(`${ledger}/${row.id}/${row.createdAtMs}/${row.lastToken}`);
  const id = `${ledger}.${name.digest("hex").slice(0, 32)}`;
  try {
    await letters.create({ id, ledger, rowId: row.id, reason, row });
  } catch (error) {
    // It lies there with the reason of one who died before the row said so.
    if ((await letters.get(id)) === undefined) throw error;
  }
}

function checkStore(store: unknown): DurableJsonStore {
  const methods = STORE_METHODS.join(", ");
  if (typeof store !== "object" || store === null)
    throw invalidOption("store", `an object with the methods ${methods}`);
  const missing = STORE_METHODS.filter(
    (name) => typeof (store as Record<string, unknown>)[name] !== "function",
  );
  if (missing.length === 0) return store as DurableJsonStore;
  throw invalidOption("store", `an object with the methods ${methods}; it lacks ${missing.join(", ")}`);
}

/** A directory's name as the beginning of paths in a store. Two directories never begin alike. */
function toPrefix(rootDir: string): string {
  const segments = rootDir.split("/").filter((part) => part !== "" && part !== ".");
  return segments
    .map((part) => {
      const segment = part.replace(
        /[^A-Za-z0-9_-]/g,
        (character) => `=${character.charCodeAt(0).toString(16)}.`,
      );
      const safe = segment.replace(/\.$/, "");
      if (safe.length > 120) throw invalidOption("rootDir", "made of shorter names");
      return `${safe}/`;
    })
    .join("");
}

function checkOptions<T extends object>(options: T, known: readonly string[]): T {
  if (typeof options !== "object" || options === null) throw invalidOption("options", "an object");
  refuseUnknownOptions(options, known);
  return options;
}
