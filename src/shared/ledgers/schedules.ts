import type { JsonValue } from "../json.ts";
import type { Claim, Claimed, ClaimOptions, CreateWorkOptions, WorkLedger, WorkRow } from "./row.ts";

/** Something to be done again and again. */
export interface Schedule extends WorkRow {
  readonly startAtMs: number;
  readonly everyMs: number;
  readonly catchUp: "latest" | "all";
  readonly payload: JsonValue;
  /** The due time that is claimed, or comes next. Only grows. */
  readonly scheduledForMs: number;
  /** How many due times were completed. */
  readonly completed: number;
}

/** What a schedule is made of. */
export interface CreateScheduleOptions extends CreateWorkOptions {
  /** At least 1000. Due times are `startAtMs`, `startAtMs + everyMs`, … */
  readonly everyMs: number;
  /** @default now */
  readonly startAtMs?: number | undefined;
  /** Due times that passed while nobody looked: `"latest"` leaves all but one out, `"all"` makes up for each. @default "latest" */
  readonly catchUp?: "latest" | "all" | undefined;
  /** @default null */
  readonly payload?: unknown;
}

/** Due times that come again. Each is handed to one process and completed once, whatever the clock does. */
export interface ScheduleLedger extends WorkLedger<Schedule> {
  create(options: CreateScheduleOptions): Promise<Schedule>;
  claim(options: ClaimOptions): Promise<Claimed<Schedule> | undefined>;
  /** Ends this due time and sets the next: by `everyMs`, or the one given (cron, say), which must be later. */
  complete(claim: Claim, options?: { readonly nextAtMs?: number | undefined }): Promise<Schedule>;
}
