/** Where a store is that several processes share, as what can be told to a process; and the store. */
import { onTestFinished } from "vitest";
import { fileJsonStore } from "../../src/orchestration/file-store.ts";
import { postgresJsonStore } from "../../src/postgres/json-store.ts";
import type { DurableJsonStore } from "../../src/shared/durable-store.ts";

export type StorePlace =
  | { readonly rootDir: string }
  | { readonly connectionString: string; readonly schema: string };

/** The store of a place, until the test has ended. */
export function openStore(place: StorePlace): DurableJsonStore {
  if ("rootDir" in place) return fileJsonStore({ ...place, sync: false });
  const store = postgresJsonStore(place);
  onTestFinished(() => store.close());
  return store;
}
