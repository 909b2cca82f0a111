/** `little-harness doctor DIR` on directories as hosts leave them, and as crashes and disks leave them. */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inspectDataDirectory } from "../../src/host/inspect-data-directory.ts";
import { ownIdentity } from "../../src/storage/process-identity.ts";
import { digestTree } from "../helpers/digest-tree.ts";
import { hostForTest, scriptedSandbox } from "../helpers/hosts.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { runCli } from "./run-cli.ts";

const never = new AbortController().signal;

/** A data directory with one whole turn in the session `s1`. */
async function madeByHost(dispose?: () => void): Promise<{ dataDir: string; session: string; turn: string }> {
  const host = hostForTest({ sandbox: scriptedSandbox(undefined, dispose) });
  await host.createSession({ id: "s1" });
  const turn = await host.prepareTurn({ session: "s1" });
  await (await turn.sandbox()).exec("true");
  turn.end({ status: "completed" });
  await turn.dispose();
  const session = join(host.dataDir, "sessions/s1");
  return { dataDir: host.dataDir, session, turn: join(session, "turns", turn.id) };
}

/** Of a process that has been and is gone. */
function deadIdentity() {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  return { ...ownIdentity(), pid, start: "1" };
}

async function brokenOf(dataDir: string): Promise<string[]> {
  const { findings } = await inspectDataDirectory(dataDir, never);
  return findings.filter(({ level }) => level === "broken").map(({ what }) => what);
}

test("nothing is broken in what a host leaves, and nothing in it is changed", async () => {
  const { dataDir } = await madeByHost();
  const before = digestTree(dataDir);
  const { code, stdout } = await runCli(["doctor", "--json", dataDir]);
  const report = JSON.parse(stdout.toString());
  expect(report).toMatchObject({
    format: "little-harness-data-dir",
    formatVersion: 1,
    dataDir,
    sessions: { readable: 1, damaged: 0 },
    turns: { completed: 1, failed: 0, aborted: 0, running: 0, cutOff: 0, unreadable: 0 },
    events: { lines: 4, malformed: 0, disposeFailures: 0 },
    locks: { held: 0, stale: 0 },
    findings: [],
    broken: [],
  });
  expect(report.freeBytes).toBeGreaterThan(0);
  expect(code).toBe(0);
  expect(digestTree(dataDir)).toEqual(before);
});

test("a turn under way is running, and its session busy", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  await host.prepareTurn();
  expect(await inspectDataDirectory(host.dataDir, never)).toMatchObject({
    turns: { running: 1 },
    locks: { held: 1, stale: 0 },
    findings: [],
  });
});

test("each thing that is broken is named with its place, and control characters of names are not sent", async () => {
  const { dataDir, turn } = await madeByHost();
  const sessions = join(dataDir, "sessions");
  for (const [name, text] of [
    ["no-json", "{"],
    ["other", JSON.stringify({ version: 1, id: "s1", createdAt: "2026-01-01T00:00:00Z", metadata: {} })],
    ["newer", JSON.stringify({ version: 2, id: "newer" })],
  ] as const) {
    mkdirSync(join(sessions, name));
    writeFileSync(join(sessions, name, "session.json"), text);
  }
  mkdirSync(join(sessions, "empty"));
  mkdirSync(join(sessions, ".new-0123456789abcdef"));
  mkdirSync(join(sessions, "odd\u001b[2Jname"));
  appendFileSync(join(turn, "events.ndjson"), 'no json\n[1]\n{"type":"x","seq":9}\n');
  const { code, stdout } = await runCli(["doctor", dataDir]);
  const text = stdout.toString();
  expect(code).toBe(1);
  expect(text).toContain('no-json: The session "no-json" has a session.json that is no JSON.');
  expect(text).toContain('empty: The session "empty" has no session.json.');
  expect(text).toContain('newer: The session "newer" is of version 2; known is 1.');
  expect(text).toMatch(/FAIL {2}other: .*another one/);
  expect(text).toMatch(/FAIL {2}s1\/turn-\S+: events.ndjson has 2 malformed lines, the first is line 5/);
  expect(text).toMatch(/FAIL {2}s1\/turn-\S+: events.ndjson has events that are missing or out of order/);
  expect(text).toMatch(/-- {4}sessions\/\.new-0123456789abcdef is a session that is being made/);
  expect(text).toContain("--    sessions/odd\\x1b[2Jname is no session");
  expect(text).toMatch(/\nbroken: 7\n$/);
});

test("a turn whose process is gone was cut off, and its lock is stale", async () => {
  const { dataDir, session, turn } = await madeByHost();
  const record = JSON.parse(readFileSync(join(turn, "turn.json"), "utf8"));
  const gone = deadIdentity();
  writeFileSync(join(turn, "turn.json"), JSON.stringify({ ...record, status: "running", process: gone }));
  const lock = { ...gone, token: "0123456789abcdef", since: "2026-01-01T00:00:00Z" };
  writeFileSync(join(session, "turn.lock"), JSON.stringify(lock));
  const { turns, locks, findings } = await inspectDataDirectory(dataDir, never);
  expect({ cutOff: turns.cutOff, locks }).toEqual({ cutOff: 1, locks: { held: 0, stale: 1 } });
  expect(findings.map(({ level }) => level).sort()).toEqual(["broken", "note"]);
});

test.each([
  ["events.ndjson", null, "events.ndjson is missing"],
  ["events.ndjson", '{"type":"harness.turn.started","seq":1}\n', "events.ndjson ends before the turn does"],
  ["events.ndjson", '{"type":"harness.turn.completed","seq":1}', "events.ndjson ends before the turn does"],
  ["turn.json", "{}", "turn.json is no record of a turn"],
  ["turn.json", "{", "turn.json cannot be read (no JSON)"],
] as const)("%s that holds %j: %s", async (file, text, what) => {
  const { dataDir, turn } = await madeByHost();
  if (text === null) rmSync(join(turn, file));
  else writeFileSync(join(turn, file), text);
  expect(await brokenOf(dataDir)).toEqual([what]);
});

test("a failure of dispose counts as broken", async () => {
  const { dataDir } = await madeByHost(() => {
    throw new Error("it does not close");
  });
  expect(await brokenOf(dataDir)).toEqual(["harness.runtime.dispose.failed, 1 times"]);
});

test("a directory that is missing is broken; one that is empty is not, as a host makes what is missing", async () => {
  const dataDir = tempDir();
  expect(await brokenOf(join(dataDir, "nowhere"))).toEqual(["the data directory is missing"]);
  expect(await brokenOf(dataDir)).toEqual([]);
  writeFileSync(join(dataDir, "sessions"), "");
  expect(await brokenOf(dataDir)).toEqual(["sessions/ is no directory"]);
  expect(readdirSync(dataDir)).toEqual(["sessions"]);
});

test("a directory of something else is told as none, with exit code 1", async () => {
  const directory = tempDir();
  writeFileSync(join(directory, "package.json"), "{}");
  const { code, stdout } = await runCli(["doctor", directory]);
  expect(stdout.toString()).toContain("it is no data directory");
  expect(code).toBe(1);
  mkdirSync(join(directory, "sessions"));
  expect(await brokenOf(directory)).toEqual([]);
});

test("what is about the machine does not go with a directory", async () => {
  const { code, stderr } = await runCli(["doctor", "--isolation", "auto", "d"]);
  expect(code).toBe(2);
  expect(stderr).toContain("--isolation is about this machine");
});
