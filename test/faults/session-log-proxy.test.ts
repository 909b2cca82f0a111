/** A log behind a server that is cut off again and again, behind a proxy that misbehaves. */
import { expect, test } from "vitest";
import { memorySessionLog } from "../../src/session-log/memory-log.ts";
import { startSessionLogServer } from "../../src/session-log/server.ts";
import { expectWhole, startCrowd } from "../helpers/crowd-of-appends.ts";
import { TOKEN } from "../helpers/log-server.ts";
import { BAD, startUnrulyProxy } from "../helpers/unruly-proxy.ts";

test("fifty clients behind an unruly proxy append each event once, while the server is cut off under them", async () => {
  const store = memorySessionLog();
  const start = () => startSessionLogServer({ store, authToken: TOKEN, closeTimeoutMs: 1 });
  const proxy = await startUnrulyProxy(7);
  let server = await start();
  proxy.target = server.port;
  const { acknowledged, done } = startCrowd(proxy.url, 2);
  for (const share of [20, 50, 80]) {
    await expect.poll(() => acknowledged.length, { timeout: 20_000, interval: 2 }).toBeGreaterThan(share);
    await server.close();
    server = await start();
    proxy.target = server.port;
  }
  await done;
  await proxy.close();
  await server.close();
  await expectWhole(store, acknowledged, 2);
  expect(Object.keys(proxy.deeds)).toEqual(expect.arrayContaining([...BAD]));
});
