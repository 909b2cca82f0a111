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

/** A row that failed for good, as it was then. */
export interface DeadLetter extends WorkRow {
  /** The ledger it comes from, as it is called in the services: `tasks`, `workflowQueues`, … */
  readonly ledger: string;
  readonly rowId: string;
  /** Why it failed. */
  readonly reason: string;
  readonly row: JsonValue;
}

/** What a dead letter is made of. */
export interface CreateDeadLetterOptions extends CreateWorkOptions {
  /** Shaped like an id. */
  readonly ledger: string;
  readonly rowId: string;
  readonly reason: string;
  /** @default null */
  readonly row?: unknown;
}

/** What failed for good waits here for a person or a program. The other ledgers put it here by themselves. */
export interface DeadLetterLedger extends WorkLedger<DeadLetter> {
  create(options: CreateDeadLetterOptions): Promise<DeadLetter>;
  list(options?: ListOptions & { readonly ledger?: string | undefined }): Promise<readonly DeadLetter[]>;
  claim(
    options: ClaimOptions & { /** @default all */ readonly ledger?: string | undefined },
  ): Promise<Claimed<DeadLetter> | undefined>;
  /** It was dealt with. */
  complete(claim: Claim): Promise<DeadLetter>;
}
