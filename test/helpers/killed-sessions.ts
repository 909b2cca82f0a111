/** Several processes on one data directory, all of which are killed at some moment. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { root } from "../../build/paths.ts";
import { hostForTest, scriptedSandbox } from "./hosts.ts";

/** Turns after which a process is killed at the next thing that it does. */
const LIFE = 8;

/**
 * Processes that make, use and remove the same sessions and are killed, until there were so many turns: they never meet
 * in a session, and leave only what can be read and used.
 */
export async function expectSessionsApart(count: number, enough: number): Promise<void> {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const faults: string[] = [];
  let turns = 0;
  let kills = 0;
  const live = new Set<ChildProcess>();
  const run = async (): Promise<void> => {
    while (turns < enough) {
      const child = spawn(
        process.execPath,
        [join(root, "test/fixtures/host/hammer.mjs"), join(root, "dist"), host.dataDir],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      live.add(child);
      let mine = 0;
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        for (const line of text.split("\n").filter((part) => part !== "")) {
          if (line === "turn") mine++;
          else faults.push(line);
        }
        turns += text.split("turn\n").length - 1;
        if (mine >= LIFE) child.kill("SIGKILL");
        if (turns >= enough) for (const one of live) one.kill("SIGKILL");
      });
      await once(child, "close");
      kills++;
      live.delete(child);
    }
  };
  await Promise.all(Array.from({ length: count }, run));
  expect(faults).toEqual([]);
  expect(kills).toBeGreaterThan(enough / LIFE / 2);
  const names = existsSync(host.dataDir) ? readdirSync(join(host.dataDir, "sessions")) : [];
  const sessions = await host.listSessions();
  expect(sessions.map(({ id }) => id)).toEqual(
    names.filter((name) => !name.startsWith(".")).sort(byAge(sessions)),
  );
  for (const session of sessions) {
    // Takes over what a dead one held, and says of its turn that it was cut off.
    await (await host.prepareTurn({ session })).dispose();
    const statuses = turnsOf(session.directory).map(({ status }) => status);
    expect(statuses).not.toContain("running");
    expect(locksOf(session.directory)).toEqual([]);
  }
}

/** As the sessions are listed. */
function byAge(sessions: readonly { readonly id: string }[]): (a: string, b: string) => number {
  const order = sessions.map(({ id }) => id);
  return (a, b) => order.indexOf(a) - order.indexOf(b);
}

/** Files of locks. Not those of processes that died between making and writing one: they go after a minute. */
function locksOf(directory: string): string[] {
  const names = readdirSync(directory).filter((name) => name.startsWith("turn.lock"));
  return names.filter((name) => !name.endsWith(".tmp") || statSync(join(directory, name)).size > 0);
}

/** The records of all turns of a session, with their events checked. */
function turnsOf(directory: string): { status: string }[] {
  return readdirSync(join(directory, "turns")).flatMap((name) => {
    const turn = join(directory, "turns", name);
    if (!existsSync(join(turn, "turn.json"))) return [];
    const record = JSON.parse(readFileSync(join(turn, "turn.json"), "utf8"));
    const text = existsSync(join(turn, "events.ndjson"))
      ? readFileSync(join(turn, "events.ndjson"), "utf8")
      : "";
    const numbers = text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line).seq);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    if (record.status === "completed" && numbers.length < 5) expect(numbers.length).toBe(4);
    return [record];
  });
}
