/**
 * What a `DurableJsonStore` must do, as cases that any test runner can run: each takes a store of its own and rejects
 * when a promise is broken. `docs/orchestration.md` says the promises in words.
 */
import { storeLockCases } from "./cases/store-locks.ts";
import { storeValueCases } from "./cases/store-values.ts";
import { Check } from "./check.ts";
import type { OpenStore } from "./store-stage.ts";
import type { ConformanceSuite } from "./suite.ts";

/** The promises of a store, bound to one. None may be left out. */
export interface StoreSuite extends ConformanceSuite {
  readonly notClaimed: readonly never[];
}

/** Every promise of a store. */
export function storeSuite(open: OpenStore): StoreSuite {
  const cases = [...storeValueCases, ...storeLockCases].map(({ name, run }) => ({
    name,
    group: "store",
    run: async () => {
      const { store, other = store } = await open();
      await run({ store, other, check: new Check(name) });
    },
  }));
  return { name: "store", cases, notClaimed: [] };
}
