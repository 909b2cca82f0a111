/** A log in a file: who may open it, what it is not, and what damage to one run means for the others. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileSessionLog } from "../../../src/session-log/file-log.ts";
import { KnownRun, KnownRuns } from "../../../src/session-log/known-runs.ts";
import { RUN_START } from "../../../src/session-log/seal-event.ts";
import { appendOf, fillFileLog, readAll } from "../../helpers/session-logs.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const pathOf = () => join(tempDir(), "log.ndjson");

test.each([
  [undefined, "path"],
  [{}, "path"],
  [{ path: "" }, "path"],
  [{ path: "a\0b" }, "path"],
  [{ path: "a", sync: 1 }, "sync"],
  [{ path: "a", fsync: true }, "fsync"],
])("the options %j are refused by name", (options, option) => {
  expect(() => fileSessionLog(options as { path: string })).toThrow(
    expect.objectContaining({ code: "OPTION_INVALID", data: { option } }),
  );
});

test("the file is made for its owner alone, and by the first call", async () => {
  const path = pathOf();
  const log = fileSessionLog({ path });
  await log.close();
  expect(() => statSync(path)).toThrow("ENOENT");
  const other = fileSessionLog({ path });
  expect(await other.read("run")).toEqual([]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await other.close();
});

test("a log that is open is refused to others, by the process that has it, until it is closed", async () => {
  const path = pathOf();
  const log = fileSessionLog({ path });
  await log.append(appendOf(0));
  const other = fileSessionLog({ path });
  await expect(other.append(appendOf(0))).rejects.toMatchObject({
    code: "SESSION_LOG_BUSY",
    message: expect.stringContaining(`process ${process.pid} `),
    data: { path, pid: process.pid },
  });
  await log.close();
  expect((await other.append(appendOf(3))).sequence).toBe(2);
  await other.close();
});

test("a log whose owner is dead is taken over", async () => {
  const path = pathOf();
  const { pid } = spawnSync(process.execPath, ["--eval", ""]);
  const owner = {
    pid,
    start: "1",
    place: null,
    token: "0123456789abcdef",
    since: "2020-01-01T00:00:00.000Z",
  };
  const log = fileSessionLog({ path });
  await log.append(appendOf(0));
  const mine = JSON.parse(readFileSync(`${path}.lock`, "utf8")) as object;
  await log.close();
  writeFileSync(`${path}.lock`, JSON.stringify({ ...mine, ...owner, place: (mine as typeof owner).place }));
  const other = fileSessionLog({ path });
  expect((await other.read("run-0")).length).toBe(1);
  await other.close();
});

test.each([
  ["a pipe", (lock: string) => spawnSync("mkfifo", [lock]), "SESSION_LOG_FAILED", "is no lock"],
  [
    "a link to nothing",
    (lock: string) => symlinkSync("/nonexistent", lock),
    "SESSION_LOG_FAILED",
    "is no lock",
  ],
  ["an empty file", (lock: string) => writeFileSync(lock, ""), "SESSION_LOG_BUSY", "names no process"],
])(
  "with %s in the place of its lock a log is refused, and opens when that is gone",
  async (_what, make, code, words) => {
    const path = pathOf();
    make(`${path}.lock`);
    const log = fileSessionLog({ path });
    const message = expect.stringContaining(words);
    await expect(log.append(appendOf(0))).rejects.toMatchObject({ code, message });
    rmSync(`${path}.lock`);
    expect((await log.append(appendOf(0))).sequence).toBe(1);
    await log.close();
  },
);

test("a path that is no file of this format is refused, and left as it is", async () => {
  const directory = tempDir();
  const at = (name: string) => join(directory, name);
  writeFileSync(at("text"), "hello\n");
  writeFileSync(at("half"), "hello");
  writeFileSync(at("json"), '{"format":"lh.session-log.v2","id":"0"}\n');
  mkdirSync(at("directory"));
  symlinkSync(at("text"), at("link"));
  spawnSync("mkfifo", [at("fifo")]);
  const cases: [string, string, RegExp][] = [
    ["text", "SESSION_LOG_CORRUPT", /text, line 1: this is no session log/],
    ["half", "SESSION_LOG_CORRUPT", /half, line 1: this is no session log/],
    ["json", "SESSION_LOG_CORRUPT", /json, line 1: this is no session log/],
    ["directory", "SESSION_LOG_FAILED", /is a directory/],
    ["link", "SESSION_LOG_FAILED", /is a symbolic link/],
    ["fifo", "SESSION_LOG_FAILED", /is no regular file/],
    ["missing/log", "SESSION_LOG_FAILED", /its directory cannot be opened.*ENOENT/],
  ];
  for (const [name, code, message] of cases) {
    const log = fileSessionLog({ path: at(name) });
    await expect(log.append(appendOf(0))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    await log.close();
  }
  expect(readFileSync(at("text"), "utf8")).toBe("hello\n");
  expect(readFileSync(at("half"), "utf8")).toBe("hello");
});

test.each([
  [
    "is replaced",
    (path: string) => cpSync(path, `${path}.new`),
    (path: string) => renameSync(`${path}.new`, path),
  ],
  ["is removed", () => undefined, (path: string) => rmSync(path)],
  ["is emptied", () => undefined, (path: string) => truncateSync(path)],
  ["is cut", () => undefined, (path: string) => truncateSync(path, statSync(path).size - 400)],
  ["gets a line of another's", () => undefined, (path: string) => appendFileSync(path, "{}\n")],
  ["gets a second name", () => undefined, (path: string) => linkSync(path, `${path}.2`)],
])(
  "a file that %s under a log gets no events any more, and keeps what it has",
  async (_what, prepare, act) => {
    const path = pathOf();
    const log = fileSessionLog({ path, sync: false });
    for (const n of [0, 3, 1]) await log.append(appendOf(n));
    prepare(path);
    act(path);
    const left = existsSync(path) ? readFileSync(path) : undefined;
    for (const n of [6, 4])
      await expect(log.append(appendOf(n))).rejects.toMatchObject({
        code: "SESSION_LOG_FAILED",
        message: expect.stringMatching(/this process has it no more|it was cut from/),
      });
    await log.close();
    expect(existsSync(path) ? readFileSync(path) : undefined).toEqual(left);
  },
);

test("a run is not told as empty where the file was cut under its log", async () => {
  const path = pathOf();
  const log = fileSessionLog({ path, sync: false });
  await log.append(appendOf(0));
  truncateSync(path);
  // The append forgets what was known of the run, so that the read looks at the file again.
  for (const call of [() => log.append(appendOf(3)), () => log.read("run-0"), () => log.read("new")])
    await expect(call()).rejects.toMatchObject({ code: "SESSION_LOG_FAILED" });
  await log.close();
});

test("a file with two names is refused by both, for each has a lock of its own", async () => {
  const path = pathOf();
  await fillFileLog(path, 3);
  linkSync(path, `${path}.2`);
  for (const name of [path, `${path}.2`]) {
    const log = fileSessionLog({ path: name });
    await expect(log.read("run-0")).rejects.toMatchObject({
      code: "SESSION_LOG_FAILED",
      message: expect.stringContaining("2 names"),
    });
    await log.close();
  }
  rmSync(`${path}.2`);
  const log = fileSessionLog({ path });
  expect((await log.read("run-0")).length).toBe(1);
  await log.close();
});

async function damaged(change: (lines: string[]) => void) {
  const path = pathOf();
  const events = await fillFileLog(path, 9);
  const lines = readFileSync(path, "utf8").split("\n");
  change(lines);
  writeFileSync(path, lines.join("\n"));
  const log = fileSessionLog({ path, sync: false });
  return { log, path, of: (runId: string) => events.filter((event) => event.runId === runId) };
}

test("a damaged record rejects its run by file, line and event, and no other run", async () => {
  const { log, path, of } = await damaged((lines) => {
    lines[5] = (lines[5] ?? "").replace('"n":4', '"n":5');
  });
  const message = `${path}, line 6, run run-1: event 2: its digest is not that of what was appended.`;
  for (let n = 0; n < 2; n++)
    await expect(log.read("run-1")).rejects.toMatchObject({ code: "SESSION_LOG_CORRUPT", message });
  await expect(log.append(appendOf(10))).rejects.toMatchObject({ code: "SESSION_LOG_CORRUPT", message });
  expect(await readAll(log, "run-0")).toEqual(of("run-0"));
  expect((await log.append(appendOf(11))).sequence).toBe(4);
  expect((await log.append(appendOf(0, "new"))).sequence).toBe(1);
  await log.close();
});

test("a gap in one run rejects it, and does not block another", async () => {
  const { log, path, of } = await damaged((lines) => lines.splice(4, 1));
  await expect(log.read("run-0")).rejects.toMatchObject({
    code: "SESSION_LOG_CORRUPT",
    message: `${path}, line 7, run run-0: event 2: the sequence is 3.`,
    data: { path, line: 7, runId: "run-0" },
  });
  expect(await readAll(log, "run-1")).toEqual(of("run-1"));
  expect((await log.append(appendOf(10))).sequence).toBe(4);
  expect((await readAll(log, "run-1")).length).toBe(4);
  await log.close();
});

test("a line whose run cannot be told rejects every run that has no event after it, and new ones", async () => {
  // The last event of run-0: run-1 and run-2 go on after it.
  const { log, path, of } = await damaged((lines) => {
    lines[7] = "x".repeat(lines[7]?.length ?? 0);
  });
  for (const runId of ["run-0", "new"])
    await expect(log.read(runId)).rejects.toMatchObject({
      code: "SESSION_LOG_CORRUPT",
      message: `${path}, line 8, run ${runId}: the line is damaged, and may be an event of this run.`,
    });
  expect(await readAll(log, "run-1")).toEqual(of("run-1"));
  expect((await log.append(appendOf(11))).sequence).toBe(4);
  await log.close();
});

test("runs are forgotten, the longest unused first, but for those with events on their way", async () => {
  const looks: string[] = [];
  const runs = new KnownRuns(10);
  const get = (runId: string) =>
    runs.get(runId, async () => {
      looks.push(runId);
      return new KnownRun({ offsets: [1, 2, 3], keys: new Map(), head: RUN_START });
    });
  const [a, b] = [await get("a"), await get("b")];
  a.pending.set("key", new Promise(() => undefined));
  await get("c");
  expect([runs.has("a", a), runs.has("b", b)]).toEqual([true, false]);
  await Promise.all([get("b"), get("b"), get("a")]);
  expect(looks).toEqual(["a", "b", "c", "b"]);
});
