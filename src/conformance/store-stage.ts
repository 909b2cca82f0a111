/** What one case of a store is played on. */
import type { DurableJsonStore } from "../shared/durable-store.ts";
import type { Check } from "./check.ts";

/** A store under test. */
export interface StoreUnderTest {
  readonly store: DurableJsonStore;
  /** A second one over the same data, as another process would have. @default the same one */
  readonly other?: DurableJsonStore;
}

/** Gives an empty store at each call. */
export type OpenStore = () => Promise<StoreUnderTest> | StoreUnderTest;

/** A case before it is bound to a store. */
export interface StoreCase {
  readonly name: string;
  run(stage: Required<StoreUnderTest> & { readonly check: Check }): Promise<void>;
}
