/** Due times of a schedule: on the grid, each handed out until it is ended, ended once, whatever the clock does. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createInMemoryOrchestrationServices } from "../../../src/orchestration/services.ts";
import { isSandboxError } from "../../../src/shared/errors.ts";
import type { Claimed } from "../../../src/shared/ledgers/row.ts";
import type { Schedule } from "../../../src/shared/ledgers/schedules.ts";

const START_MS = 1_000_000;
const EVERY_MS = 1_000;

type Step = { is: "claim" } | { is: "complete" | "fail"; at: number } | { is: "tick"; ms: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.constant({ is: "claim" as const }),
  fc.record({ is: fc.constantFrom("complete" as const, "fail" as const), at: fc.nat(9) }),
  fc.record({
    is: fc.constant("tick" as const),
    ms: fc.constantFrom(1, 300, 999, 1_000, 7_500, -400, -3_000, -20_000),
  }),
);

test.each(["latest", "all"] as const)("with catchUp %s", async (catchUp) => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 60, size: "max" }), async (given) => {
      let nowMs = START_MS;
      let latestMs = nowMs;
      const { schedules, deadLetters } = createInMemoryOrchestrationServices({ now: () => nowMs });
      await schedules.create({ id: "s", everyMs: EVERY_MS, startAtMs: START_MS, catchUp, maxAttempts: 2 });
      const claims: Claimed<Schedule>[] = [];
      const ended: number[] = [];
      let current: Claimed<Schedule> | undefined;
      for (const step of given) {
        latestMs = Math.max(latestMs, nowMs);
        if (step.is === "tick") nowMs += step.ms;
        else if (step.is === "claim") {
          const claimed = await schedules.claim({ owner: "me", leaseMs: 500 });
          if (claimed === undefined) continue;
          const { scheduledForMs } = claimed;
          expect((scheduledForMs - START_MS) % EVERY_MS).toBe(0);
          expect(scheduledForMs).toBeLessThanOrEqual(latestMs);
          for (const before of ended) expect(scheduledForMs).toBeGreaterThan(before);
          if (current !== undefined && current.scheduledForMs === scheduledForMs)
            expect(nowMs).toBeGreaterThanOrEqual(current.claim.expiresAtMs);
          current = claimed;
          claims.push(claimed);
        } else {
          const claimed = claims[step.at % claims.length];
          if (claimed === undefined) continue;
          const before = await schedules.get("s");
          const holds = before?.status === "claimed" && before.lastToken === claimed.claim.token;
          const row = await (step.is === "complete"
            ? schedules.complete(claimed.claim)
            : schedules.fail(claimed.claim, "why", { retryAfterMs: 0 })
          ).catch((error: unknown) => {
            expect(isSandboxError(error) && error.code).toBe("LOCK_LOST");
            return undefined;
          });
          expect(row !== undefined).toBe(holds);
          if (row === undefined) continue;
          current = undefined;
          if (step.is === "complete") ended.push(claimed.scheduledForMs);
          if (catchUp === "all" && row.scheduledForMs !== claimed.scheduledForMs)
            expect(row.scheduledForMs).toBe(claimed.scheduledForMs + EVERY_MS);
        }
      }
      const row = await schedules.get("s");
      expect(row?.completed).toBe(ended.length);
      // A due time is ended or buried, never both.
      const buried = (await deadLetters.list()).map(
        (letter) => (letter.row as unknown as Schedule).scheduledForMs,
      );
      expect(new Set([...ended, ...buried]).size).toBe(ended.length + buried.length);
    }),
    { numRuns: 25 },
  );
});
