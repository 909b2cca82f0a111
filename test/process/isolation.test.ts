/**
 * Attacks of a guest that has escaped from the engine and runs code of its own in the worker. Each gets through
 * on the rung `process`, which claims nothing against it, and is stopped on the rungs above: a wall is measured
 * by what happens without it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import inspector from "node:inspector";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Outcomes,
  plantTreasure,
  runEscapedGuest,
  runInBareJail,
  type Treasure,
} from "../helpers/escaped-guest.ts";
import { noNamespace, type Rung } from "../helpers/rungs.ts";

const ATTACKS = [
  "the parent's environment",
  "a file outside the mounts",
  "a file outside, as a blob",
  "a file outside, through promises",
  "a file outside, by way of a mount",
  "a file outside, through a new link",
  "a sibling's mount",
  "a write into a read-only mount",
  "the worker's own code",
  "the local server by net",
  "the local server by tls",
  "the local server by http",
  "the local server by fetch",
  "a datagram",
  "a listening socket",
  "a socket from inside Node",
  "a name server",
  "a program",
  "a copy of itself",
  "a fork",
  "spawning from inside Node",
  "a thread without flags",
  "a thread by a class of its own",
  "a thread by the prototype's constructor",
  "a thread by a polluted prototype",
  "a thread by the handle's class",
  "anything in one of our own threads",
  "hooks in a thread of their own",
  "a signal to the parent",
  "a signal from inside Node",
  "the parent's priority",
  "an inspector session",
  "a report",
  "flags of the engine",
  "a database",
  "a WASI directory",
];

/** What the jail alone stops, whatever runs in it. */
const STOPPED_BY_JAIL = [
  "the parent's environment",
  "a file outside the mounts",
  "a file outside, as a blob",
  "a file outside, through promises",
  "a file outside, by way of a mount",
  "a file outside, through a new link",
  "a sibling's mount",
  "a write into a read-only mount",
  "the worker's own code",
  "the local server by net",
  "the local server by tls",
  "the local server by http",
  "the local server by fetch",
  "a datagram",
  "a listening socket",
  "a socket from inside Node",
  "a name server",
  "a program",
  "a copy of itself",
  "a fork",
  "spawning from inside Node",
  "a signal to the parent",
  "a signal from inside Node",
  "the parent's priority",
];

/** Of these, what the filter of system calls alone stops: the jail holds a Node.js that could be started. */
const STOPPED_BY_FILTER = ["a listening socket", "a socket from inside Node", "a copy of itself", "a fork"];

/** A module that not every Node.js has. */
const ABSENT = "No such built-in module";

// In the environment of this process from its first moment: `/proc` shows no later one.
const secret = process.env.HARNESS_TEST_SECRET ?? "";
let treasure: Treasure;

beforeAll(async () => {
  expect(secret, "vitest.config.ts sets it").not.toBe("");
  treasure = await plantTreasure(secret);
});
afterAll(() => treasure.remove());

describe("on the rung process, which claims nothing against an escaped guest", () => {
  let outcomes: Outcomes;
  beforeAll(async () => {
    outcomes = await runEscapedGuest("process", treasure);
  });
  test("every attack of the guest is in the list", () => {
    expect([...outcomes.keys()]).toEqual(ATTACKS);
  });
  test.for(ATTACKS)("%s gets through", (attack, { skip }) => {
    const outcome = outcomes.get(attack);
    if (outcome?.why.includes(ABSENT)) skip("this Node.js has no such module");
    expect(outcome).toEqual({ got: true, why: "" });
  });
});

describeStopped("hardened", null);
describeStopped("namespace", noNamespace);

function describeStopped(rung: Rung, unavailable: string | null): void {
  describe.skipIf(unavailable !== null)(`on the rung ${rung}${note(unavailable)}`, () => {
    let outcomes: Outcomes;
    beforeAll(async () => {
      outcomes = await runEscapedGuest(rung, treasure);
    });
    test.each(ATTACKS)("%s is stopped", (attack) => {
      expect(outcomes.get(attack)).toMatchObject({ got: false, why: expect.stringMatching(/./) as string });
    });
  });
}

describe.skipIf(noNamespace !== null)(
  `in the jail with no flag and no lockdown inside${note(noNamespace)}`,
  () => {
    let outcomes: Outcomes;
    beforeAll(async () => {
      outcomes = await runInBareJail(treasure, STOPPED_BY_JAIL, "behind the filter");
    });
    test.each(STOPPED_BY_JAIL)("%s is stopped", (attack) => {
      expect(outcomes.get(attack)).toMatchObject({ got: false });
    });
    test("without the filter, a socket of its own and a program that is in the jail are there", async () => {
      const unfiltered = await runInBareJail(treasure, STOPPED_BY_FILTER, "no filter");
      for (const attack of STOPPED_BY_FILTER) {
        expect([attack, unfiltered.get(attack)]).toEqual([attack, { got: true, why: "" }]);
      }
    });
  },
);

test("SIGUSR1 of a worker opens the inspector of a Node.js without the guard, and not the parent's", async () => {
  const other = spawn(process.execPath, [
    "--inspect-port=0",
    "-e",
    "process.stdin.resume(); console.log('up')",
  ]);
  try {
    await once(other.stdout, "data");
    // The guard of the sandboxes above: the listener below would be one too.
    expect(process.listenerCount("SIGUSR1")).toBe(1);
    const arrived = new Promise<void>((resolve) => {
      process.once("SIGUSR1", () => resolve());
    });
    treasure.task.signalled = [other.pid, process.pid];
    const said = once(other.stderr, "data");
    await runEscapedGuest("process", treasure, ["SIGUSR1"]);
    await arrived;
    expect(String(await said)).toContain("Debugger listening");
    expect(inspector.url()).toBeUndefined();
  } finally {
    other.kill("SIGKILL");
  }
});

function note(unavailable: string | null): string {
  return unavailable === null ? "" : ` (not tried: ${unavailable})`;
}
