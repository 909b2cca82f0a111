/** Real processes that append to one log and are killed, one after the other. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { root } from "../../build/paths.ts";
import { fileSessionLog } from "../../src/session-log/file-log.ts";
import { verifySessionLog } from "../../src/session-log/verify.ts";
import type { SessionLogAppend } from "../../src/shared/session-log.ts";
import { listen, startNode } from "./killed-processes.ts";
import { readAll } from "./session-logs.ts";

const APPENDER = join(root, "test/fixtures/session-log/appender.mjs");
const ENTRY = pathToFileURL(join(root, "dist/remote-session.js")).href;

interface Acknowledged {
  readonly append: SessionLogAppend;
  readonly sequence: number;
  readonly hash: string;
}

/** Kills `kills` processes, each after some of its lines; then everything that was acknowledged is looked for. */
export async function checkKills(path: string, kills: number, random: () => number): Promise<void> {
  const acknowledged: Acknowledged[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const child = startNode(APPENDER, ENTRY, path, String(kill));
    const lines = 1 + Math.floor(random() * 40);
    let heard = 0;
    await listen<Acknowledged>(child, (said) => {
      acknowledged.push(said);
      heard += 1;
      if (heard === lines) child.kill("SIGKILL");
    });
    expect(heard).toBeGreaterThanOrEqual(lines);
  }
  expect((await verifySessionLog({ path })).findings).toEqual([]);
  const log = fileSessionLog({ path, sync: false });
  const events = [...(await readAll(log, "run-0")), ...(await readAll(log, "run-1"))];
  const hashes = new Map(events.map((event) => [`${event.runId} ${event.sequence}`, event.hash]));
  for (const { append, sequence, hash } of acknowledged)
    expect(hashes.get(`${append.runId} ${sequence}`)).toBe(hash);
  const keys = events.map(({ runId, appendIdempotencyKey }) => `${runId} ${appendIdempotencyKey}`);
  expect(new Set(keys).size).toBe(keys.length);
  // An append that was killed between the write and the answer is there, and is not there twice when it is tried again.
  const last = acknowledged.at(-1);
  if (last !== undefined) expect((await log.append(last.append)).hash).toBe(last.hash);
  await log.close();
}
