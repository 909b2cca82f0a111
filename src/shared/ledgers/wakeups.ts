import type { JsonValue } from "../json.ts";
import type { Claim, Claimed, ClaimOptions, CreateWorkOptions, WorkLedger, WorkRow } from "./row.ts";

/** Something to be done at a time. */
export interface Wakeup extends WorkRow {
  /** The time it was set for; `dueAtMs` moves on with its claims. */
  readonly wakeAtMs: number;
  readonly payload: JsonValue;
}

/** What a wakeup is made of. */
export interface CreateWakeupOptions extends CreateWorkOptions {
  readonly wakeAtMs: number;
  /** @default null */
  readonly payload?: unknown;
}

/** Alarms. Each fires once: completed, it never comes again, whatever the clock does. */
export interface WakeupLedger extends WorkLedger<Wakeup> {
  create(options: CreateWakeupOptions): Promise<Wakeup>;
  /** Sets another time; only before the first claim. */
  move(id: string, wakeAtMs: number): Promise<Wakeup>;
  /** The one that is due for the longest. Exactly one caller gets it; if that one dies, another after the lease. */
  claim(options: ClaimOptions): Promise<Claimed<Wakeup> | undefined>;
  complete(claim: Claim): Promise<Wakeup>;
}
