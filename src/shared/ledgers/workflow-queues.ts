import type { JsonValue } from "../json.ts";
import type {
  Claim,
  Claimed,
  ClaimOptions,
  CreateWorkOptions,
  ListOptions,
  WorkLedger,
  WorkRow,
} from "./row.ts";

/** One step in a queue. */
export interface QueueItem extends WorkRow {
  readonly queue: string;
  /** Its place: 1, 2, 3 … among those that are in the queue together. */
  readonly position: number;
  readonly input: JsonValue;
  /** What `complete` was given. */
  readonly output: JsonValue;
}

/** What a queue item is made of. */
export interface CreateQueueItemOptions extends CreateWorkOptions {
  /** Shaped like an id. A queue is there as soon as it is named. */
  readonly queue: string;
  /** @default null */
  readonly input?: unknown;
}

/** How a queue is worked off. */
export interface QueueSettings {
  /** How many of its items may be claimed at once. 1: each begins after the one before has ended. @default 1 */
  readonly concurrency: number;
  /** Nothing is claimed from a paused queue. @default false */
  readonly isPaused: boolean;
}

/** Steps that keep their order, per queue: first in, first out. An item that is to be tried again holds its place. */
export interface WorkflowQueueLedger extends WorkLedger<QueueItem> {
  create(options: CreateQueueItemOptions): Promise<QueueItem>;
  list(options?: ListOptions & { readonly queue?: string | undefined }): Promise<readonly QueueItem[]>;
  claim(options: ClaimOptions & { readonly queue: string }): Promise<Claimed<QueueItem> | undefined>;
  complete(claim: Claim, output?: unknown): Promise<QueueItem>;
  /** Changes what is given of the settings, and gives all. */
  configure(queue: string, settings?: Partial<QueueSettings>): Promise<QueueSettings>;
}
