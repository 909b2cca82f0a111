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

/** One run of an agent: as many turns and processes as it takes. */
export interface Run extends WorkRow {
  readonly sessionId: string | null;
  readonly input: JsonValue;
  /** Woken while it was claimed: its next `wait` makes it ready at once. */
  readonly isWoken: boolean;
  /** What was saved last: where the next owner goes on. */
  readonly state: JsonValue;
  /** What `complete` was given. */
  readonly output: JsonValue;
}

/** What a run is made of. */
export interface CreateRunOptions extends CreateWorkOptions {
  readonly sessionId?: string | undefined;
  /** @default null */
  readonly input?: unknown;
}

/** Runs that outlive the processes that work on them. */
export interface RunLedger extends WorkLedger<Run> {
  create(options?: CreateRunOptions): Promise<Run>;
  list(options?: ListOptions & { readonly sessionId?: string | undefined }): Promise<readonly Run[]>;
  /** This run, or the one that has been ready or without its owner for the longest. */
  claim(options: ClaimOptions & { readonly id?: string | undefined }): Promise<Claimed<Run> | undefined>;
  /** Keeps what a later owner needs, and the claim. Progress: the attempts are counted from 1 again. */
  save(claim: Claim, state: unknown): Promise<Claimed<Run>>;
  /** Puts the run down until `wake`. */
  wait(claim: Claim, state?: unknown): Promise<Run>;
  /** Makes a run that waits ready; one that is claimed becomes so at its next `wait`. */
  wake(id: string): Promise<Run>;
  complete(claim: Claim, output?: unknown): Promise<Run>;
}
