import type { JsonValue } from "../json.ts";
import type { LedgerRow, PruneOptions } from "./row.ts";

/** Where something lies that a run made. The bytes are not here. */
export interface Artifact extends LedgerRow {
  /** Path inside the sandbox, URL, or key in an object store. */
  readonly location: string;
  readonly sessionId: string | null;
  readonly runId: string | null;
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
  readonly mediaType: string | null;
  readonly metadata: JsonValue;
}

/** What an artifact's entry is made of. */
export interface CreateArtifactOptions {
  /** @default a new one, in the order of time */
  readonly id?: string | undefined;
  readonly location: string;
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
  readonly sizeBytes?: number | undefined;
  /** 64 hexadecimal digits, lower case. */
  readonly sha256?: string | undefined;
  readonly mediaType?: string | undefined;
  /** @default null */
  readonly metadata?: unknown;
}

/** The index of artifacts: what there is, of whom, and where. */
export interface ArtifactLedger {
  create(options: CreateArtifactOptions): Promise<Artifact>;
  get(id: string): Promise<Artifact | undefined>;
  list(options?: {
    readonly sessionId?: string | undefined;
    readonly runId?: string | undefined;
    readonly after?: string | undefined;
    readonly limit?: number | undefined;
  }): Promise<readonly Artifact[]>;
  /** Removes the entry, not the bytes. No error when there is none. */
  remove(id: string): Promise<void>;
  prune(options: PruneOptions): Promise<number>;
}
