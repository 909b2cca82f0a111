/** Schedules: due times on a grid. The one that comes next only grows, so none is handed out again after its end. */
import type { Schedule, ScheduleLedger } from "../../shared/ledgers/schedules.ts";
import { checkInteger, checkOptions, checkTime, invalid, optional } from "../check.ts";
import { toJsonValue } from "../json-text.ts";
import { ALL, byTime } from "../order.ts";
import { CREATE_OPTIONS, type LedgerContext, WorkCore } from "../work-core.ts";
import { workVerbs } from "../work-verbs.ts";

const MIN_EVERY_MS = 1_000;
const MAX_EVERY_MS = 10 * 366 * 24 * 3_600_000;

export function createScheduleLedger(context: LedgerContext): ScheduleLedger {
  const core = new WorkCore<Schedule>(context, {
    ledger: "schedules",
    orderOf: (row) => byTime(row, ALL),
    // One due time that failed for good is no reason to leave the others out.
    afterLastAttempt: (row, nowMs) => toNext(row, nowMs, nextOf(row, nowMs)),
  });
  return {
    ...workVerbs(core),
    async create(options) {
      checkOptions("create", options, [...CREATE_OPTIONS, "everyMs", "startAtMs", "catchUp", "payload"]);
      const everyMs = checkInteger("everyMs", options.everyMs, MIN_EVERY_MS, MAX_EVERY_MS);
      const startAtMs = optional("startAtMs", options.startAtMs, checkTime);
      const { catchUp = "latest" } = options;
      if (catchUp !== "latest" && catchUp !== "all") throw invalid("catchUp", '"latest" or "all"', catchUp);
      const payload = toJsonValue("payload", options.payload);
      return core.create(options, [everyMs, startAtMs ?? null, catchUp, payload], (base) => {
        const firstMs = startAtMs ?? base.createdAtMs;
        return {
          ...base,
          dueAtMs: firstMs,
          startAtMs: firstMs,
          everyMs,
          catchUp,
          payload,
          scheduledForMs: firstMs,
          completed: 0,
        };
      });
    },
    async claim(options) {
      return core.claim(checkOptions("claim", options, ["owner", "leaseMs"]), [ALL]);
    },
    async complete(claim, options = {}) {
      checkOptions("complete", options, ["nextAtMs"]);
      const nextAtMs = optional("nextAtMs", options.nextAtMs, checkTime);
      return core.whileHeld<Schedule>(claim, (row, nowMs) => {
        if (nextAtMs !== undefined && nextAtMs <= row.scheduledForMs)
          throw invalid("nextAtMs", `later than ${row.scheduledForMs}, which it follows`, nextAtMs);
        const done = { ...row, completed: row.completed + 1, error: null };
        return toNext(done, nowMs, nextAtMs ?? nextOf(row, nowMs));
      });
    },
  };
}

function toNext(row: Schedule, nowMs: number, nextMs: number): Schedule {
  return {
    ...row,
    status: "ready",
    updatedAtMs: nowMs,
    dueAtMs: nextMs,
    attempts: 0,
    claim: null,
    scheduledForMs: nextMs,
  };
}

/** The next due time of the grid; with `"latest"` the last that has passed, if more than one has. */
function nextOf({ startAtMs, everyMs, catchUp, scheduledForMs }: Schedule, nowMs: number): number {
  const gridAfter = (timeMs: number) =>
    startAtMs + (Math.floor((timeMs - startAtMs) / everyMs) + 1) * everyMs;
  const nextMs = gridAfter(scheduledForMs);
  return catchUp === "all" ? nextMs : Math.max(nextMs, gridAfter(nowMs) - everyMs);
}
