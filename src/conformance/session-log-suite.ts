/**
 * What a `HarnessSessionLog` must do, as cases that any test runner can run: each takes a log of its own and rejects
 * when a promise is broken. `docs/remote-session.md` says the promises in words.
 */
import { logAppendCases } from "./cases/log-appends.ts";
import { logReadCases } from "./cases/log-reads.ts";
import { Check } from "./check.ts";
import type { OpenSessionLog } from "./log-stage.ts";
import type { ConformanceSuite } from "./suite.ts";

/** The promises of a session log, bound to one. None may be left out. */
export interface SessionLogSuite extends ConformanceSuite {
  readonly notClaimed: readonly never[];
}

/** Every promise of a session log. */
export function sessionLogSuite(open: OpenSessionLog): SessionLogSuite {
  const cases = [...logAppendCases, ...logReadCases].map(({ name, run }) => ({
    name,
    group: "session-log",
    run: async () => {
      const { log, other = log, reopen = async () => log } = await open();
      await run({ log, other, reopen, check: new Check(name) });
    },
  }));
  return { name: "session-log", cases, notClaimed: [] };
}
