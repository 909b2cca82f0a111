/** Every ledger of claimed rows behaves as one simple model, whatever is asked of it and wherever the clock goes. */
import { test } from "vitest";
import { createInMemoryOrchestrationServices } from "../../../src/orchestration/services.ts";
import { behavesAsModel, LEDGERS } from "./work-ledgers.ts";

test.each(LEDGERS)("%s, by %s", (...ledger) =>
  behavesAsModel(ledger, (now) => createInMemoryOrchestrationServices({ now })),
);
