/** Commands that a ledger of claimed rows and its model are given alike, and what must be equal after each. */
import fc from "fast-check";
import { expect } from "vitest";
import { isSandboxError } from "../../../src/shared/errors.ts";
import type { Claim, Claimed, ClaimOptions, WorkLedger, WorkRow } from "../../../src/shared/ledgers/row.ts";
import type { HarnessOrchestrationServices } from "../../../src/shared/orchestration.ts";
import { claimOf, endOf, heldBy, type Model } from "./model.ts";

/** One ledger, under the verbs that all have. */
export interface Adapter {
  /** Rows have no group: every claim may get each. */
  readonly isOneGroup?: boolean;
  /** When a new row is due. @default at once */
  readonly dueAtMs?: number;
  readonly ledger: WorkLedger<WorkRow>;
  create(id: string, group: string, maxAttempts: number): Promise<WorkRow>;
  claim(group: string, options: ClaimOptions): Promise<Claimed<WorkRow> | undefined>;
  complete(claim: Claim): Promise<WorkRow>;
}

export interface Real extends Adapter {
  readonly services: HarnessOrchestrationServices;
  /** Time of the services. */
  readonly clock: { nowMs: number };
}

type Command = fc.AsyncCommand<Model, Real>;

const IDS = ["a", "B", "b", "c:1", "d.e"];
const GROUPS = ["g", "H"];
const LEASE_MS = 1_000;

/** The code of what it rejects with, or what it resolves to. */
export async function outcome<T>(promise: Promise<T>): Promise<T | string> {
  return promise.catch((error: unknown) => {
    if (isSandboxError(error)) return error.code;
    throw error;
  });
}

async function compare(model: Model, real: Real): Promise<void> {
  const rows = await real.ledger.list({ limit: 1_000 });
  const told = rows.map(({ id, status, dueAtMs, attempts, lastToken }) => ({
    id,
    status,
    dueAtMs,
    attempts,
    lastToken,
  }));
  const expected = [...model.rows.values()].map(({ id, status, dueAtMs, attempts, token }) => ({
    id,
    status,
    dueAtMs,
    attempts,
    lastToken: token,
  }));
  expect(told).toEqual(expected.sort((a, b) => (a.id < b.id ? -1 : 1)));
  const letters = await real.services.deadLetters.list({ limit: 1_000, ...notItself(real) });
  expect(letters.map(({ rowId }) => rowId).sort()).toEqual(notItself(real) ? [] : [...model.buried].sort());
}

/** Dead letters that fail are not buried in their own ledger. */
function notItself(real: Real): { ledger: string } | undefined {
  return (real.services.deadLetters as unknown) === real.ledger ? { ledger: "deadLetters" } : undefined;
}

function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    run: async (model, real) => {
      await run(model, real);
      await compare(model, real);
    },
    toString: () => name,
  };
}

const groupOf = ({ isOneGroup = false }: Real, group: string) => (isOneGroup ? "g" : group);

const claimAt = (model: Model, at: number) =>
  model.claims.length === 0 ? undefined : model.claims[at % model.claims.length];

const asClaim = ({ id, token }: { id: string; token: number }): Claim => ({
  id,
  token,
  owner: "any",
  expiresAtMs: 0,
});

/** What happens: creations, claims, ends, by owners of now and of then; and a clock that goes where it wants. */
export const workCommands: fc.Arbitrary<Command>[] = [
  fc.tuple(fc.constantFrom(...IDS), fc.constantFrom(...GROUPS)).map(([id, wanted]) =>
    command(`create(${id}, ${wanted})`, async (model, real) => {
      const group = groupOf(real, wanted);
      const there = model.rows.get(id);
      const got = await outcome(real.create(id, group, model.maxAttempts));
      if (there !== undefined && there.group !== group) expect(got).toBe("STORE_CONFLICT");
      else expect(got).toMatchObject({ id });
      if (there !== undefined) return;
      const places = [...model.rows.values()].map(({ place }) => place);
      const place = Math.max(0, ...places) + 1;
      model.rows.set(id, {
        id,
        group,
        place,
        status: "ready",
        dueAtMs: real.dueAtMs ?? model.nowMs,
        attempts: 0,
        token: model.lastToken,
      });
    }),
  ),
  fc.constantFrom(...GROUPS).map((wanted) =>
    command(`claim(${wanted})`, async (model, real) => {
      const group = groupOf(real, wanted);
      const got = await real.claim(group, { owner: "me", leaseMs: LEASE_MS });
      const expected = claimOf(model, group, LEASE_MS);
      expect(got?.id).toBe(expected?.id);
      if (got !== undefined) expect(got.claim).toMatchObject({ token: expected?.token, owner: "me" });
    }),
  ),
  fc.nat(20).map((at) =>
    command(`complete(${at})`, async (model, real) => {
      const claim = claimAt(model, at);
      if (claim === undefined) return;
      const row = heldBy(model, claim);
      const got = await outcome(real.complete(asClaim(claim)));
      const ended = model.rows.get(claim.id);
      if (row !== undefined) endOf(row, "completed");
      if (ended === undefined) expect(got).toBe("LEDGER_INVALID");
      else if (ended.status === "completed" && ended.token === claim.token)
        expect(got).toMatchObject({ status: "completed" });
      else expect(got).toBe("LOCK_LOST");
    }),
  ),
  fc.tuple(fc.nat(20), fc.boolean()).map(([at, retry]) =>
    command(`fail(${at}, ${retry})`, async (model, real) => {
      const claim = claimAt(model, at);
      if (claim === undefined) return;
      const row = heldBy(model, claim);
      const got = await outcome(real.ledger.fail(asClaim(claim), "why", { retry, retryAfterMs: 500 }));
      if (row === undefined) {
        expect(got).toBe(model.rows.has(claim.id) ? "LOCK_LOST" : "LEDGER_INVALID");
      } else if (!retry || row.attempts >= model.maxAttempts) {
        endOf(row, "failed");
        model.buried.push(row.id);
      } else {
        row.status = "ready";
        row.dueAtMs = model.nowMs + 500;
      }
    }),
  ),
  fc.nat(20).map((at) =>
    command(`renew(${at})`, async (model, real) => {
      const claim = claimAt(model, at);
      if (claim === undefined) return;
      const row = heldBy(model, claim);
      const got = await outcome(real.ledger.renew(asClaim(claim), { leaseMs: 2 * LEASE_MS }));
      if (row !== undefined) row.dueAtMs = model.nowMs + 2 * LEASE_MS;
      else expect(got).toBe(model.rows.has(claim.id) ? "LOCK_LOST" : "LEDGER_INVALID");
    }),
  ),
  fc.constantFrom(...IDS).map((id) =>
    command(`cancel(${id})`, async (model, real) => {
      const row = model.rows.get(id);
      const got = await outcome(real.ledger.cancel(id));
      if (row === undefined) expect(got).toBe("LEDGER_INVALID");
      else if (row.status === "completed" || row.status === "failed") expect(got).toBe("STORE_CONFLICT");
      else {
        expect(got).toMatchObject({ status: "cancelled" });
        endOf(row, "cancelled");
      }
    }),
  ),
  fc.constant(
    command("prune()", async (model, real) => {
      // Everything that ended, as no clock of these goes so far.
      const ended = [...model.rows.values()].filter(
        ({ status }) => /ed$/.test(status) && status !== "claimed",
      );
      expect(await real.ledger.prune({ endedBeforeMs: 10_000_000 })).toBe(ended.length);
      model.lastToken = Math.max(model.lastToken, ...ended.map(({ token }) => token));
      for (const { id } of ended) model.rows.delete(id);
    }),
  ),
  fc.constantFrom(1, 400, 500, 1_000, 2_500, -300, -1_000, -5_000).map((ms) =>
    command(`tick(${ms})`, async (model, real) => {
      model.nowMs += ms;
      real.clock.nowMs = model.nowMs;
    }),
  ),
];
