/** What must hold of several processes on one store of which some are killed at any moment. */
import { once } from "node:events";
import { expect } from "vitest";
import { createDurableOrchestrationServices } from "../../src/orchestration/services.ts";
import { listen, runCrowd, type Said, seeded, startWorker } from "../helpers/killed-processes.ts";
import { openStore, type StorePlace } from "../helpers/store-place.ts";
import { tempDir } from "../helpers/temp-dir.ts";

export interface Crowd {
  readonly processes: number;
  /** Deaths that must be survived before it ends. */
  readonly kills: number;
  readonly seed: number;
  /** Rows of each ledger that are made at a time. @default 12 */
  readonly rowsAtOnce?: number;
  /** @default files in a directory of its own */
  readonly place?: StorePlace;
}

interface Told {
  readonly ledger: string;
  readonly id: string;
  readonly token: number;
  readonly forMs?: number;
  readonly expiresAtMs: number;
}

/** Stops a process that has a lock until the lock is another's: what it then still writes is refused. */
export async function stopInTheMiddle(place: StorePlace): Promise<void> {
  const store = openStore(place);
  const late = startWorker("late", place, 300);
  const heard: Said[] = [];
  const inside = new Promise<void>((resolve) => {
    void listen(late, (line) => {
      heard.push(line);
      resolve();
    });
  });
  await inside;
  late.kill("SIGSTOP");
  await store.withLock("value", {}, (lock) => store.writeJson("value", "next", { lock }));
  late.stdin?.write("go on\n");
  late.kill("SIGCONT");
  await once(late, "close");
  expect(heard.map(({ pid: _, atMs: __, ...what }) => what)).toEqual([
    { inside: 1 },
    { refused: "LOCK_LOST" },
  ]);
  expect(await store.readJson("value")).toBe("next");
}

/** Counts under a lock: no number comes twice, none that was said is lost. */
export async function countInCrowd(crowd: Crowd): Promise<void> {
  const { processes, kills: wanted, seed, place = { rootDir: tempDir() } } = crowd;
  // An owner that was killed is waited for as long as that, in a database.
  const leaseMs = "rootDir" in place ? 5_000 : 1_000;
  const { said, kills } = await runCrowd({
    processes,
    start: () => startWorker("count", place, leaseMs),
    random: seeded(seed),
    isOver: (_, killed) => killed >= wanted,
  });
  const counted = said.map((line) => Number(line.counted));
  expect(counted.length).toBeGreaterThan(wanted);
  expect(new Set(counted).size).toBe(counted.length);
  const last = Number(await openStore(place).readJson("count"));
  expect(last).toBeGreaterThanOrEqual(Math.max(...counted));
  // What a killed one wrote and did not say, and the last ones, which are killed at the end.
  expect(last - counted.length).toBeLessThanOrEqual(kills + processes);
}

const LEASE_MS = 400;
/** Of the schedule, at least. */
const DUE_TIMES = 4;
/** The ledgers of which the workers claim. */
const LEDGERS = ["tasks", "wakeups", "workflowQueues", "signals", "runs"] as const;

/** Works rows off: each claim one owner, each row one end, lines in their order. */
export async function workInCrowd(crowd: Crowd): Promise<void> {
  const { processes, kills: wanted, seed, rowsAtOnce = 12, place = { rootDir: tempDir() } } = crowd;
  const services = createDurableOrchestrationServices({ store: openStore(place) });
  const { tasks, wakeups, workflowQueues, signals, runs, schedules } = services;
  const startAtMs = Date.now();
  const maxAttempts = 1_000;
  let rows = 0;
  const fill = async () => {
    for (let row = 0; row < rowsAtOnce; row++, rows++) {
      await tasks.create({ kind: `kind-${rows % 3}`, maxAttempts });
      await wakeups.create({ wakeAtMs: Date.now() + row * 20, maxAttempts });
      await workflowQueues.create({ queue: "q", maxAttempts });
      await signals.create({ target: "t", name: "n", maxAttempts });
      await runs.create({ maxAttempts });
    }
  };
  await schedules.create({
    id: "s",
    everyMs: 1_000,
    startAtMs: startAtMs - 60_000,
    catchUp: "all",
    maxAttempts,
  });
  await fill();
  const ends = new Set<string>();
  let dueTimes = 0;
  let filling: Promise<void> | undefined;
  const { said } = await runCrowd({
    processes,
    start: () => startWorker("work", place, LEASE_MS),
    random: seeded(seed),
    isOver: (all, killed) => {
      const told = all.at(-1)?.completed as Told | undefined;
      if (told !== undefined) ends.add(`${told.ledger} ${told.id}`);
      if ((all.at(-1)?.began as Told | undefined)?.ledger === "schedules") dueTimes += 1;
      // Some ends are never told, as their owner was killed; so not all have to be.
      const isWorkedOff = ends.size > LEDGERS.length * rows * 0.7;
      if (isWorkedOff && killed < wanted) filling ??= fill().finally(() => (filling = undefined));
      return isWorkedOff && killed >= wanted && dueTimes >= DUE_TIMES;
    },
  });
  await filling;
  checkClaims(said);
  checkLines(said, rowsAtOnce / 2);
  for (const ledger of LEDGERS) {
    const all = await services[ledger].list({ limit: 1_000 });
    expect(all.length).toBe(rows);
    const told = tellings(said, "completed").filter((one) => one.ledger === ledger);
    for (const { id, token } of told) {
      expect(all.find((row) => row.id === id)).toMatchObject({ status: "completed", lastToken: token });
    }
  }
  expect(await services.deadLetters.list()).toEqual([]);
}

/** Each claim has one owner, the next comes after its lease or its end, and each row (each due time) ends once. */
function checkClaims(said: readonly Said[]): void {
  const ending = new Set(tellings(said, "ending").map(({ ledger, id, token }) => `${ledger} ${id} ${token}`));
  const last = new Map<string, Told>();
  for (const told of tellings(said, "began").sort((a, b) => a.token - b.token)) {
    const name = `${told.ledger} ${told.id}`;
    const before = last.get(name);
    last.set(name, told);
    if (before === undefined) continue;
    expect(told.token, name).toBeGreaterThan(before.token);
    if (ending.has(`${name} ${before.token}`)) continue;
    expect(told.expiresAtMs - LEASE_MS, name).toBeGreaterThanOrEqual(before.expiresAtMs);
  }
  const completed = tellings(said, "completed").map(
    ({ ledger, id, forMs = "" }) => `${ledger} ${id} ${forMs}`,
  );
  expect(completed.length).toBeGreaterThan(0);
  expect(new Set(completed).size).toBe(completed.length);
  const due = tellings(said, "began").filter(({ ledger }) => ledger === "schedules");
  const times = due.map(({ forMs = 0 }) => forMs);
  expect(times.length).toBeGreaterThanOrEqual(DUE_TIMES);
  expect(times).toEqual([...times].sort((a, b) => a - b));
}

/** First in, first out: no row of a line is begun after one behind it. */
function checkLines(said: readonly Said[], least: number): void {
  for (const ledger of ["workflowQueues", "signals"]) {
    const begun = tellings(said, "began").filter((told) => told.ledger === ledger);
    const ids = begun.map(({ id }) => id);
    expect(ids.length).toBeGreaterThanOrEqual(least);
    // Ids are in the order of their creation, by one process.
    expect(ids).toEqual([...ids].sort());
  }
}

function tellings(said: readonly Said[], what: string): Told[] {
  return said.flatMap((line) => (line[what] === undefined ? [] : [line[what] as Told]));
}
