/**
 * Turns in an order from a seed: commands for both tiers, aborts, deadlines, calls of `fs` and the end of the turn, over a
 * higher tier that opens, is late, fails or never comes. Whatever happens, each command has a result and is told once,
 * each sandbox that was opened is disposed of once, and nothing goes back down.
 */
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  type ExecResult,
  type HarnessEvent,
  type HarnessSandboxFactory,
  justBashSandbox,
  tieredSandbox,
} from "../../src/index.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { Random } from "../soak/random.ts";

/** Enough to meet each way in which a higher tier fails; `TIERS_SEED=100 TIERS_TURNS=500` for a long run. */
const TURNS = Number(process.env.TIERS_TURNS ?? 12);
const STEPS = 10;
/** Of the higher tier, so that one that is late is late by a little. */
const PROVISION_TIMEOUT_MS = 15;

interface Opened {
  disposed: number;
}

function counted(opened: Opened[]): HarnessSandboxFactory {
  const factory = justBashSandbox();
  return async (create) => {
    const sandbox = await factory(create);
    const entry = { disposed: 0 };
    opened.push(entry);
    const dispose = () => {
      entry.disposed++;
      return sandbox.dispose();
    };
    return {
      exec: (command, options) => sandbox.exec(command, options),
      fs: sandbox.fs,
      isolation: () => sandbox.isolation(),
      dispose,
      [Symbol.asyncDispose]: dispose,
    };
  };
}

function fickle(random: Random, opened: Opened[], pending: Promise<unknown>[]): HarnessSandboxFactory {
  const good = counted(opened);
  return (create) => {
    const waitMs = random.below(30);
    switch (random.below(6)) {
      case 0:
        throw new Error("no");
      case 1:
        return Promise.reject(new Error("no"));
      case 2:
        return new Promise(() => undefined);
      default: {
        const coming = delay(waitMs).then(() => good(create));
        pending.push(coming);
        return coming;
      }
    }
  };
}

async function runTurn(seed: number): Promise<void> {
  const random = new Random(seed);
  const opened: Opened[] = [];
  const pending: Promise<unknown>[] = [];
  const events: HarnessEvent[] = [];
  const sandbox = await tieredSandbox({
    tier0: counted(opened),
    nextTier: fickle(random, opened, pending),
    classify: (script) => ({ tier: script.startsWith(": up") ? 1 : 0, commands: ["up"], reasons: [] }),
    tripWires: ["git"],
    provisionTimeoutMs: PROVISION_TIMEOUT_MS,
  })({
    workspace: {
      mounts: [{ path: "/w", backingPath: tempDir(), access: "rw", tracked: true }],
      cwd: "/w",
      capabilities: { python: false, javascript: false },
    },
    emit: (event) => events.push(event),
  });
  const scripts = [": up; x=$((x+1))", "x=$((x+1))", "g=git; $g log", "echo 1 > f", "cd /tmp", "false"];
  const results: Promise<ExecResult>[] = [];
  const others: Promise<unknown>[] = [];
  const last = random.below(STEPS * 2);
  let asked = 0;
  for (let step = 0; step < STEPS; step++) {
    if (step === last) others.push(sandbox.dispose());
    const script = scripts[random.below(scripts.length)] ?? "true";
    const abort = new AbortController();
    const timeoutMs = random.below(4) === 0 ? random.between(1, 25) : 10_000;
    if (step <= last) asked++;
    results.push(sandbox.exec(script, { signal: abort.signal, timeoutMs }));
    switch (random.below(6)) {
      case 0:
        abort.abort();
        break;
      case 1:
        others.push(delay(random.below(20)).then(() => abort.abort()));
        break;
      case 2:
        others.push(sandbox.fs.writeFile("/w/g", String(step)).catch(() => undefined));
        break;
      case 3:
        await results.at(-1);
        break;
    }
  }
  const ended = await Promise.all(results);
  await Promise.all(others);
  await sandbox.dispose();
  await Promise.all(pending);
  // A sandbox that comes after all is disposed of in a later turn of the loop.
  await expect.poll(() => opened.map(({ disposed }) => disposed)).toEqual(opened.map(() => 1));

  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const started = events.filter(({ type }) => type === "harness.runtime.command.started");
  const over = events.filter(({ type }) => /command\.(completed|failed)$/.test(type));
  expect(over.map(({ occurrenceId }) => occurrenceId).sort()).toEqual(
    started.map(({ occurrenceId }) => occurrenceId).sort(),
  );
  const told = last < STEPS ? asked - 1 : asked;
  expect(started.length, "every command asked for before dispose").toBeGreaterThanOrEqual(told);
  expect(new Set(started.map(({ occurrenceId }) => occurrenceId)).size).toBe(started.length);
  const tiers = ended.flatMap(({ tier }) => tier ?? []);
  expect(tiers, "nothing goes back down").toEqual([...tiers].sort());
  const created = events.filter(({ type }) => type === "harness.file.created");
  expect(new Set(created.map((event) => "path" in event && event.path)).size).toBe(created.length);
}

test(`${TURNS} turns in an order from a seed`, { timeout: 60_000 + TURNS * 1_000 }, async () => {
  const first = Number(process.env.TIERS_SEED ?? 1);
  for (let seed = first; seed < first + TURNS; seed++) {
    await runTurn(seed).catch((error: unknown) => {
      throw new Error(`TIERS_SEED=${seed}`, { cause: error });
    });
  }
});
