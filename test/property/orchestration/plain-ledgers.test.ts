/** Ledgers whose rows are written once or decided once, and leases, against a model of a few lines each. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createInMemoryOrchestrationServices } from "../../../src/orchestration/services.ts";
import type { Claim } from "../../../src/shared/ledgers/row.ts";
import { outcome } from "./work-commands.ts";

const IDS = ["a", "A", "b"];
const TICKS = [1, 600, 1_000, -400, -2_000];
const id = fc.constantFrom(...IDS);

function check<Step>(steps: fc.Arbitrary<Step>, run: (given: Step[]) => Promise<void>): Promise<void> {
  return fc.assert(fc.asyncProperty(fc.array(steps, { maxLength: 50, size: "max" }), run), { numRuns: 25 });
}

test("results: the first value of an id stays until it is removed", async () => {
  const step = fc.record({ is: fc.constantFrom("create", "create", "get", "remove"), id, value: fc.nat(2) });
  await check(step, async (steps) => {
    const { results } = createInMemoryOrchestrationServices();
    const model = new Map<string, number>();
    for (const { is, id, value } of steps) {
      const there = model.get(id);
      if (is === "create") {
        const got = await outcome(results.create({ id, value: { value } }));
        if (there !== undefined && there !== value) expect(got).toBe("STORE_CONFLICT");
        else expect(got).toMatchObject({ id, value: { value } });
        model.set(id, there ?? value);
      } else if (is === "remove") {
        await results.remove(id);
        model.delete(id);
      } else
        expect((await results.get(id))?.value).toEqual(there === undefined ? undefined : { value: there });
    }
    expect((await results.list()).map((row) => row.id)).toEqual([...model.keys()].sort());
  });
});

test("artifacts: what is listed of a session is what was created for it and not removed", async () => {
  const step = fc.record({
    is: fc.constantFrom("create", "create", "remove"),
    id,
    sessionId: fc.constantFrom("s", "t"),
  });
  await check(step, async (steps) => {
    const { artifacts } = createInMemoryOrchestrationServices();
    const model = new Map<string, string>();
    for (const { is, id, sessionId } of steps) {
      const there = model.get(id);
      if (is === "remove") {
        await artifacts.remove(id);
        model.delete(id);
        continue;
      }
      const got = await outcome(artifacts.create({ id, location: "/artifacts/a", sessionId }));
      if (there !== undefined && there !== sessionId) expect(got).toBe("STORE_CONFLICT");
      else expect(got).toMatchObject({ id, sessionId });
      model.set(id, there ?? sessionId);
    }
    for (const sessionId of ["s", "t"]) {
      const expected = [...model].filter(([, session]) => session === sessionId).map(([id]) => id);
      expect((await artifacts.list({ sessionId })).map((row) => row.id)).toEqual(expected.sort());
    }
  });
});

test("approvals: each is decided once, in time, and an expired one stays so", async () => {
  const step = fc.oneof(
    fc.record({ is: fc.constantFrom("create" as const, "cancel" as const, "get" as const), id }),
    fc.record({ is: fc.constant("complete" as const), id, isApproved: fc.boolean() }),
    fc.record({ is: fc.constant("tick" as const), ms: fc.constantFrom(...TICKS) }),
  );
  await check(step, async (steps) => {
    let nowMs = 1_000_000;
    const expiresAtMs = 1_001_000;
    const { approvals } = createInMemoryOrchestrationServices({ now: () => nowMs });
    const model = new Map<string, string>();
    const seen = (id: string) => {
      // Whoever looks at a time past the end writes it down.
      if (model.get(id) === "waiting" && nowMs >= expiresAtMs) model.set(id, "expired");
      return model.get(id);
    };
    for (const step of steps) {
      if (step.is === "tick") nowMs += step.ms;
      else if (step.is === "create") {
        expect((await approvals.create({ id: step.id, expiresAtMs })).id).toBe(step.id);
        if (!model.has(step.id)) model.set(step.id, "waiting");
      } else if (step.is === "get") expect((await approvals.get(step.id))?.status).toBe(seen(step.id));
      else {
        const wish = step.is !== "complete" ? "cancelled" : step.isApproved ? "approved" : "rejected";
        const got = await outcome(
          step.is !== "complete"
            ? approvals.cancel(step.id)
            : approvals.complete(step.id, { isApproved: step.isApproved, by: "me" }),
        );
        const status = seen(step.id);
        if (status === undefined) expect(got).toBe("LEDGER_INVALID");
        else if (status === "waiting" || status === wish) {
          expect(got).toMatchObject({ status: wish });
          model.set(step.id, wish);
        } else expect(got).toBe("STORE_CONFLICT");
      }
    }
    for (const id of IDS) expect((await approvals.get(id))?.status).toBe(seen(id));
  });
});

describe("leases", () => {
  const step = fc.oneof(
    fc.record({ is: fc.constantFrom("claim" as const, "cancel" as const), id }),
    fc.record({ is: fc.constantFrom("renew" as const, "release" as const, "check" as const), at: fc.nat(9) }),
    fc.record({ is: fc.constant("tick" as const), ms: fc.constantFrom(...TICKS) }),
  );

  test("one owner at a time, tokens that only grow, and no right without a lease", async () => {
    await check(step, async (steps) => {
      let nowMs = 1_000_000;
      const { leases } = createInMemoryOrchestrationServices({ now: () => nowMs });
      const model = new Map<string, { token: number; untilMs: number; isHeld: boolean }>();
      const claims: Claim[] = [];
      for (const step of steps) {
        if (step.is === "tick") nowMs += step.ms;
        else if (step.is === "claim") {
          const lease = model.get(step.id);
          const got = await leases.claim({ id: step.id, owner: "me", leaseMs: 500 });
          if (lease?.isHeld && lease.untilMs > nowMs) expect(got).toBeUndefined();
          else {
            const token = (lease?.token ?? 0) + 1;
            expect(got?.claim).toMatchObject({ id: step.id, token });
            model.set(step.id, { token, untilMs: nowMs + 500, isHeld: true });
            if (got !== undefined) claims.push(got.claim);
          }
        } else if ("id" in step) {
          const got = await outcome(leases.cancel(step.id));
          const lease = model.get(step.id);
          if (lease === undefined) expect(got).toBe("LEDGER_INVALID");
          else lease.isHeld = false;
        } else {
          const claim = claims[step.at % claims.length];
          const lease = claim && model.get(claim.id);
          if (claim === undefined || lease === undefined) continue;
          const holds = lease.isHeld && lease.token === claim.token;
          if (step.is === "release") {
            await leases.release(claim);
            if (holds) lease.isHeld = false;
          } else if (step.is === "renew") {
            const got = await outcome(leases.renew(claim, { leaseMs: 800 }));
            if (holds) lease.untilMs = nowMs + 800;
            else expect(got).toBe("LOCK_LOST");
          } else {
            const isGood = holds && lease.untilMs > nowMs;
            expect(await outcome(leases.check(claim))).toBe(isGood ? undefined : "LOCK_LOST");
          }
        }
      }
    });
  });
});
