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

/** Something to be done once, by any process. */
export interface Task extends WorkRow {
  readonly kind: string;
  readonly input: JsonValue;
  /** What `complete` was given. */
  readonly output: JsonValue;
}

/** What a task is made of. */
export interface CreateTaskOptions extends CreateWorkOptions {
  /** What workers choose by; shaped like an id. */
  readonly kind: string;
  /** @default null */
  readonly input?: unknown;
  /** Not to be claimed before. @default now */
  readonly dueAtMs?: number | undefined;
}

/** Work for whichever process is free, the longest due first. */
export interface TaskLedger extends WorkLedger<Task> {
  create(options: CreateTaskOptions): Promise<Task>;
  list(options?: ListOptions & { readonly kind?: string | undefined }): Promise<readonly Task[]>;
  /** The task that has been due for the longest, or `undefined`. Exactly one caller gets it. */
  claim(
    options: ClaimOptions & { /** @default all */ readonly kinds?: readonly string[] | undefined },
  ): Promise<Claimed<Task> | undefined>;
  /** Ends a task well. Once more with the same claim and output is as once. */
  complete(claim: Claim, output?: unknown): Promise<Task>;
}
