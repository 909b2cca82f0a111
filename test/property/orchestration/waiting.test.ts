/** What waits: continuations for an answer or their time, runs for being woken. None is lost, none goes on twice. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createInMemoryOrchestrationServices } from "../../../src/orchestration/services.ts";
import type { Claim } from "../../../src/shared/ledgers/row.ts";
import { outcome } from "./work-commands.ts";

test("a continuation goes on once, with its first answer or without one after its time", async () => {
  const step = fc.oneof(
    fc.record({ is: fc.constant("resolve" as const), value: fc.nat(1) }),
    fc.record({ is: fc.constant("tick" as const), ms: fc.constantFrom(1, 600, 1_000, -400, -2_000) }),
    fc.constant({ is: "go on" as const }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20, size: "max" }), async (steps) => {
      let nowMs = 1_000_000;
      const { continuations } = createInMemoryOrchestrationServices({ now: () => nowMs });
      await continuations.create({ id: "c", state: { at: 3 }, expiresAtMs: 1_001_000 });
      let answer: unknown;
      let wentOn = 0;
      for (const step of steps) {
        if (step.is === "tick") nowMs += step.ms;
        else if (step.is === "resolve") {
          const mine = { is: "value", value: step.value };
          const got = await outcome(continuations.resolve("c", step.value));
          if (answer === undefined) answer = mine;
          if (JSON.stringify(answer) === JSON.stringify(mine)) expect(got).toMatchObject({ answer: mine });
          else expect(got).toBe("STORE_CONFLICT");
        } else {
          const claimed = await continuations.claim({ owner: "me" });
          if (wentOn > 0) expect(claimed).toBeUndefined();
          else if (answer === undefined && nowMs >= 1_001_000) answer = { is: "timeout" };
          else if (answer === undefined) expect(claimed).toBeUndefined();
          if (claimed === undefined) continue;
          expect(claimed).toMatchObject({ answer, state: { at: 3 } });
          await continuations.complete(claimed.claim);
          wentOn += 1;
        }
      }
      nowMs = 2_000_000;
      if (wentOn === 0) expect(await continuations.claim({ owner: "me" })).toBeDefined();
    }),
    { numRuns: 40 },
  );
});

test("no wake of a run is lost: one that comes before the run waits makes its wait short", async () => {
  const step = fc.constantFrom("claim", "wait", "wake", "save", "die" as const);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
      let nowMs = 1_000_000;
      const { runs } = createInMemoryOrchestrationServices({ now: () => nowMs });
      await runs.create({ id: "r", maxAttempts: 1_000 });
      let claim: Claim | undefined;
      let isWaiting = false;
      let isWoken = false;
      let state: unknown = null;
      for (const [at, step] of steps.entries()) {
        if (step === "claim") {
          const got = await runs.claim({ owner: "me", leaseMs: 1_000 });
          expect(got === undefined).toBe(isWaiting || claim !== undefined);
          if (got === undefined) continue;
          expect(got.state).toEqual(state);
          claim = got.claim;
          isWoken = false;
        } else if (step === "wake") {
          await runs.wake("r");
          if (claim !== undefined) isWoken = true;
          isWaiting = false;
        } else if (step === "die") {
          nowMs += 40_000;
          claim = undefined;
        } else if (claim !== undefined) {
          state = { at };
          if (step === "save") await runs.save(claim, state);
          else {
            const row = await runs.wait(claim, state);
            expect(row.status).toBe(isWoken ? "ready" : "waiting");
            isWaiting = !isWoken;
            isWoken = false;
            claim = undefined;
          }
        }
      }
    }),
    { numRuns: 40 },
  );
});
