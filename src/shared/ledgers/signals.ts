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

/** A message to a run, or to whatever has a name. */
export interface Signal extends WorkRow {
  readonly target: string;
  readonly name: string;
  /** Its place: 1, 2, 3 … among those that wait for this target together. */
  readonly position: number;
  readonly payload: JsonValue;
}

/** What a signal is made of. */
export interface CreateSignalOptions extends CreateWorkOptions {
  /** Shaped like an id; need not exist. */
  readonly target: string;
  /** Shaped like an id. */
  readonly name: string;
  /** @default null */
  readonly payload?: unknown;
}

/** Mailboxes: signals of one target come in the order in which they were sent, one at a time. */
export interface SignalLedger extends WorkLedger<Signal> {
  create(options: CreateSignalOptions): Promise<Signal>;
  list(options?: ListOptions & { readonly target?: string | undefined }): Promise<readonly Signal[]>;
  /** The oldest that has not ended; nothing while it is claimed or waits for its next attempt. */
  claim(options: ClaimOptions & { readonly target: string }): Promise<Claimed<Signal> | undefined>;
  complete(claim: Claim): Promise<Signal>;
}
