/** Services whose answers have the right form and are not true, towards a client of a session log. */
import { expect, test } from "vitest";
import { memorySessionLog } from "../../src/session-log/memory-log.ts";
import type { HarnessSessionLog, SessionLogEvent } from "../../src/shared/session-log.ts";
import { anAppend } from "../helpers/log-server.ts";
import { appendOne, eventsOf, failureOf, lyingService, says } from "../helpers/lying-log-service.ts";

test("an append that is answered with anything but its own sealed event is an error", async () => {
  const [first, second] = (await eventsOf(2)) as [SessionLogEvent, SessionLogEvent];
  const [strange] = (await eventsOf(1, "other")) as [SessionLogEvent];
  const { digest: _, ...without } = first;
  const lies: unknown[] = [
    second,
    strange,
    { ...first, data: { key: "key/2" } },
    { ...first, digest: "0".repeat(64) },
    { ...first, hash: "0".repeat(64) },
    { ...first, sequence: 2 },
    { ...first, at: "2020-01-01T00:00:00.000Z" },
    { ...first, extra: 1 },
    without,
  ];
  for (const event of lies) {
    const { log } = await lyingService([says({ event })]);
    expect((await failureOf(appendOne(log))).code).toBe("SESSION_LOG_CORRUPT");
  }
  for (const event of [null, "x", { ...first, sequence: "1" }, { ...first, sequence: 1.5 }]) {
    const { log } = await lyingService([says({ event })]);
    expect((await failureOf(appendOne(log))).code).toBe("SESSION_LOG_FAILED");
  }
});

test("a page with a gap, an edit, another order or another run's event is an error", async () => {
  const all = await eventsOf(4);
  const [one, two, three, four] = all as [SessionLogEvent, SessionLogEvent, SessionLogEvent, SessionLogEvent];
  const pages = [
    [one, three],
    [two, three],
    [two, one],
    [one, one],
    [one, { ...two, type: "x" }],
    [one, { ...two, previousHash: "0".repeat(64) }],
    await eventsOf(1, "other"),
    [null],
  ];
  for (const page of pages) {
    const { log } = await lyingService([says({ events: page })]);
    expect((await failureOf(log.read("run"))).code).toBe("SESSION_LOG_CORRUPT");
  }
  const { log } = await lyingService([says({ events: all })]);
  expect((await failureOf(log.read("run", { limit: 3 }))).code).toBe("SESSION_LOG_FAILED");
  const next = await lyingService([says({ events: [one, two] }), says({ events: [three, four] })]);
  expect([
    ...(await next.log.read("run", { limit: 2 })),
    ...(await next.log.read("run", { after: 2 })),
  ]).toEqual(all);
});

test("a service that forgets or rewrites what this client has seen is noticed", async () => {
  const all = await eventsOf(3);
  const log = memorySessionLog();
  for (let n = 1; n <= 3; n++) await log.append(anAppend(`key/${n}`, { data: "other" }));
  const others = await log.read("run");
  const acts: ((log: HarnessSessionLog) => Promise<unknown>)[] = [
    (client) => client.read("run", { after: 2 }),
    (client) => client.read("run", { after: 1 }),
    (client) => client.read("run"),
  ];
  for (const [n, act] of acts.entries()) {
    const gone = await lyingService([says({ events: all.slice(0, 3) }), says({ events: [] })]);
    await gone.log.read("run");
    expect((await failureOf(act(gone.log))).message).toContain("event 3: it is gone");
    const changed = await lyingService([says({ events: all }), says({ events: others.slice(2 - n) })]);
    await changed.log.read("run");
    expect((await failureOf(act(changed.log))).message).toContain("event 3: it is another than before");
  }
  const forgetful = await lyingService([says({ event: all[0] }), says({ event: others[1] })]);
  await appendOne(forgetful.log);
  expect((await failureOf(forgetful.log.append(anAppend("key/2", { data: "other" })))).message).toContain(
    "previousHash is not the hash of the event before",
  );
});

test("pages that are whole but of two chains are an error, also where the end of the run is the known one", async () => {
  const all = await eventsOf(5);
  const log = memorySessionLog();
  for (let n = 1; n <= 3; n++) await log.append(anAppend(`key/${n}`, { data: "forged" }));
  const forged = await log.read("run");
  const pages = [says({ events: all }), says({ events: forged }), says({ events: all.slice(3) })];
  const { log: client } = await lyingService(pages);
  expect(await client.read("run")).toEqual(all);
  await client.read("run");
  expect((await failureOf(client.read("run", { after: 3 }))).message).toContain("event 4: its previousHash");
});
