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

/** Where some work goes on once an answer is there. */
export interface Continuation extends WorkRow {
  readonly runId: string | null;
  /** What whoever goes on needs to know. */
  readonly state: JsonValue;
  /** From then on it goes on without an answer. */
  readonly expiresAtMs: number | null;
  /** `null` while nothing has come. */
  readonly answer: { readonly is: "value"; readonly value: JsonValue } | { readonly is: "timeout" } | null;
}

/** What a continuation is made of. */
export interface CreateContinuationOptions extends CreateWorkOptions {
  readonly runId?: string | undefined;
  /** @default null */
  readonly state?: unknown;
  /** @default never */
  readonly expiresAtMs?: number | undefined;
}

/** Work that was put down until something comes from outside; any process takes it up. */
export interface ContinuationLedger extends WorkLedger<Continuation> {
  create(options?: CreateContinuationOptions): Promise<Continuation>;
  list(options?: ListOptions & { readonly runId?: string | undefined }): Promise<readonly Continuation[]>;
  /** Gives the answer, once: the same again is as once, another one `STORE_CONFLICT`. */
  resolve(id: string, value?: unknown): Promise<Continuation>;
  /** One that has its answer or is past its time. Exactly one caller gets it. */
  claim(options: ClaimOptions): Promise<Claimed<Continuation> | undefined>;
  complete(claim: Claim): Promise<Continuation>;
}
