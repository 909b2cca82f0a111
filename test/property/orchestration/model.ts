/** What a ledger of claimed rows should do, said again in the simplest way: rows in a list, no store, no order kept. */
import type { WorkStatus } from "../../../src/shared/ledgers/row.ts";

export interface ModelRow {
  readonly id: string;
  /** Kind, queue, target: what is claimed by. */
  readonly group: string;
  /** In a line: when it came. */
  readonly place: number;
  status: WorkStatus;
  dueAtMs: number | null;
  attempts: number;
  token: number;
}

export interface Model {
  nowMs: number;
  /** By time, or one after the other. */
  readonly order: "time" | "line";
  readonly rows: Map<string, ModelRow>;
  /** Claims that were given, also those that are over. */
  readonly claims: { readonly id: string; readonly token: number }[];
  readonly maxAttempts: number;
  /** Greatest token of the rows that were pruned: new ones begin there. */
  lastToken: number;
  /** Ids of rows that failed for good. */
  readonly buried: string[];
}

export function newModel(order: Model["order"]): Model {
  return { nowMs: 1_000_000, order, rows: new Map(), claims: [], maxAttempts: 3, lastToken: 0, buried: [] };
}

const isOpen = ({ status }: ModelRow) => status === "ready" || status === "claimed" || status === "waiting";

/** The row that a claim of this group gets. Rows whose attempts are used up, met on the way, fail. */
export function claimOf(model: Model, group: string, leaseMs: number): ModelRow | undefined {
  const rows = [...model.rows.values()].filter((row) => row.group === group && isOpen(row));
  if (model.order === "time") {
    const due = rows.filter(({ dueAtMs }) => dueAtMs !== null && dueAtMs <= model.nowMs);
    due.sort((a, b) => (a.dueAtMs ?? 0) - (b.dueAtMs ?? 0) || (a.id < b.id ? -1 : 1));
    return due.find((row) => take(model, row, leaseMs));
  }
  for (const row of rows.sort((a, b) => a.place - b.place)) {
    if ((row.dueAtMs ?? 0) > model.nowMs) return undefined;
    if (take(model, row, leaseMs)) return row;
  }
  return undefined;
}

function take(model: Model, row: ModelRow, leaseMs: number): boolean {
  if (row.attempts >= model.maxAttempts) {
    endOf(row, "failed");
    model.buried.push(row.id);
    return false;
  }
  row.status = "claimed";
  row.attempts += 1;
  row.token += 1;
  row.dueAtMs = model.nowMs + leaseMs;
  model.claims.push({ id: row.id, token: row.token });
  return true;
}

export function endOf(row: ModelRow, status: "completed" | "failed" | "cancelled"): void {
  row.status = status;
  row.dueAtMs = null;
}

/** The row that this claim still holds, if it does. */
export function heldBy(model: Model, { id, token }: { id: string; token: number }): ModelRow | undefined {
  const row = model.rows.get(id);
  return row?.status === "claimed" && row.token === token ? row : undefined;
}
