/** `serve-log` over a file, killed and started again under fifty clients, behind a proxy that misbehaves. */
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { fileSessionLog } from "../../src/session-log/file-log.ts";
import { expectWhole, startCrowd } from "../helpers/crowd-of-appends.ts";
import { TOKEN } from "../helpers/log-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startUnrulyProxy } from "../helpers/unruly-proxy.ts";
import { startCli } from "../process/run-cli.ts";

const EACH = 20;

async function start(path: string) {
  const child = startCli(["serve-log", "--port", "0", "--path", path], {
    env: { LITTLE_HARNESS_LOG_TOKEN: TOKEN },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = (await once(createInterface({ input: child.stdout ?? process.stdin }), "line")) as [string];
  return { child, port: Number(new URL(url).port) };
}

test.each([1, 2, 3])(
  "fifty clients append each event once to a server that is killed under them (seed %i)",
  { timeout: 300_000 },
  async (seed) => {
    const path = join(tempDir(), "log.ndjson");
    const proxy = await startUnrulyProxy(seed);
    let { child, port } = await start(path);
    proxy.target = port;
    const { acknowledged, done } = startCrowd(proxy.url, EACH);
    for (let kill = 1; kill <= 10; kill++) {
      await expect
        .poll(() => acknowledged.length, { timeout: 120_000, interval: 2 })
        .toBeGreaterThan(kill * 80);
      const gone = once(child, "close");
      child.kill("SIGKILL");
      await gone;
      ({ child, port } = await start(path));
      proxy.target = port;
    }
    await done;
    await proxy.close();
    const gone = once(child, "close");
    child.kill("SIGTERM");
    expect(await gone).toEqual([0, null]);
    const store = fileSessionLog({ path });
    await expectWhole(store, acknowledged, EACH);
    await store.close();
  },
);
