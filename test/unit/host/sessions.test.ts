import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { localHost } from "../../../src/index.ts";
import { hostForTest, scriptedSandbox } from "../../helpers/hosts.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

test("a host touches no disk before it is used, not even to list", async () => {
  const dataDir = join(tempDir(), "a/b");
  const host = localHost({ dataDir });
  expect(await host.listSessions()).toEqual([]);
  await expect(host.openSession("x")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  await host.close();
  expect(existsSync(dataDir)).toBe(false);
});

test("a session is there for whoever opens the directory later, with what it was given", async () => {
  const host = hostForTest();
  const made = await host.createSession({ id: "first", metadata: { user: "u1", tags: ["a"] } });
  expect(made).toMatchObject({
    id: "first",
    directory: join(host.dataDir, "sessions/first"),
    sessionDir: join(host.dataDir, "sessions/first/session"),
    artifactsDir: join(host.dataDir, "sessions/first/artifacts"),
    persistentDir: join(host.dataDir, "persistent"),
    agentsDir: join(host.dataDir, "agents"),
    metadata: { user: "u1", tags: ["a"] },
  });
  for (const path of [made.sessionDir, made.artifactsDir, made.persistentDir, made.agentsDir])
    expect(existsSync(path)).toBe(true);
  const other = hostForTest({ dataDir: host.dataDir });
  expect(await other.openSession("first")).toEqual(made);
  await expect(other.createSession({ id: "first" })).rejects.toMatchObject({ code: "SESSION_EXISTS" });
  expect(readdirSync(join(host.dataDir, "sessions"))).toEqual(["first"]);
});

test("of ten that make the same session one does", async () => {
  const host = hostForTest();
  const made = await Promise.allSettled(Array.from({ length: 10 }, () => host.createSession({ id: "same" })));
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const one of made)
    if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "SESSION_EXISTS" });
  expect(readdirSync(join(host.dataDir, "sessions"))).toEqual(["same"]);
});

test("ids of their own are valid, differ, and sort by time", async () => {
  const host = hostForTest();
  const first = await host.createSession();
  const second = await host.createSession();
  await host.openSession(first.id);
  expect((await host.listSessions()).map(({ id }) => id)).toEqual([first.id, second.id]);
});

test.each([
  "",
  ".",
  "..",
  "../x",
  "a/b",
  "a\\b",
  "/etc",
  ".hidden",
  "-rf",
  "a\0b",
  "a\nb",
  "a b",
  "ä",
  "a.",
  "nul",
  "COM1.txt",
  "x".repeat(101),
])("%j is no id of a session, for no call", async (id) => {
  const host = hostForTest();
  const rejection = { code: "SESSION_INVALID" };
  await expect(host.createSession({ id })).rejects.toMatchObject(rejection);
  await expect(host.openSession(id)).rejects.toMatchObject(rejection);
  await expect(host.deleteSession(id)).rejects.toMatchObject(rejection);
  await expect(host.prepareTurn({ session: id })).rejects.toMatchObject(rejection);
  expect(existsSync(join(host.dataDir, "sessions"))).toBe(false);
});

test.each([
  ["has no file", (directory: string) => rmSync(join(directory, "session.json"))],
  [
    "has half a file",
    (directory: string) => writeFileSync(join(directory, "session.json"), '{"version": 1, "id": "bad'),
  ],
  [
    "has a file of something else",
    (directory: string) => writeFileSync(join(directory, "session.json"), "[]"),
  ],
  [
    "is of a version to come",
    (directory: string) => writeFileSync(join(directory, "session.json"), '{"version": 2}'),
  ],
  [
    "says that it is another one",
    (directory: string) => writeFileSync(join(directory, "session.json"), '{"version": 1, "id": "good"}'),
  ],
  [
    "is a link",
    (directory: string) => {
      rmSync(directory, { recursive: true });
      symlinkSync("good", directory);
    },
  ],
  [
    "is a file",
    (directory: string) => {
      rmSync(directory, { recursive: true });
      writeFileSync(directory, "");
    },
  ],
])("a session that %s is left out of the list, and opening it says so", async (_what, damage) => {
  const host = hostForTest();
  await host.createSession({ id: "good" });
  damage((await host.createSession({ id: "bad" })).directory);
  expect((await host.listSessions()).map(({ id }) => id)).toEqual(["good"]);
  await expect(host.openSession("bad")).rejects.toMatchObject({ code: "SESSION_INVALID" });
  await expect(host.prepareTurn({ session: "bad" })).rejects.toMatchObject({ code: "SESSION_INVALID" });
});

test("what was left by those who died while they made or removed a session goes with the next list", async () => {
  const host = hostForTest();
  await host.createSession({ id: "good" });
  const sessions = join(host.dataDir, "sessions");
  for (const name of [".removed-1", ".new-old", ".new-fresh"])
    mkdirSync(join(sessions, name, "session"), { recursive: true });
  const past = new Date(Date.now() - 2 * 3_600_000);
  utimesSync(join(sessions, ".new-old"), past, past);
  expect(await host.listSessions()).toHaveLength(1);
  expect(readdirSync(sessions).sort()).toEqual([".new-fresh", "good"]);
});

test("a session is removed with all its files, a damaged one too, but not under a turn", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const session = await host.createSession({ id: "mine" });
  const turn = await host.prepareTurn({ session });
  await expect(host.deleteSession("mine")).rejects.toMatchObject({
    code: "SESSION_BUSY",
    data: { sessionId: "mine", pid: process.pid },
  });
  await turn.dispose();
  writeFileSync(join(session.directory, "session.json"), "");
  await host.deleteSession("mine");
  await expect(host.deleteSession("mine")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  expect(readdirSync(join(host.dataDir, "sessions"))).toEqual([]);
  // What sessions share stays.
  expect(existsSync(session.persistentDir)).toBe(true);
});

test.each([
  [{ dataDir: "" }, "dataDir"],
  [{ dataDir: "a*" }, "dataDir"],
  [{ sandbox: "docker" }, "sandbox"],
  [{ orchestration: null }, "orchestration"],
  [{ traceOptions: "all" }, "trace options"],
  [{ disposeTimeoutMs: 0 }, "disposeTimeoutMs"],
  [{ executionEnvironment: "auto" }, "executionEnvironment"],
])("localHost(%j) is an error at once that names the option", (options, name) => {
  let error: unknown;
  try {
    localHost(options as never);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: "OPTION_INVALID", message: expect.stringContaining(name) });
});

test.each([[{ metadata: [] }], [{ metadata: { big: 1n } }], [{ name: "x" }]])(
  "createSession with options that are none is an error and makes nothing",
  async (options) => {
    const host = hostForTest();
    await expect(host.createSession(options as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    expect(existsSync(host.dataDir)).toBe(false);
  },
);

test("a data directory that is a file is an error that says so", async () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  for (const dataDir of [file, join(file, "below")]) {
    const host = hostForTest({ dataDir });
    await expect(host.createSession()).rejects.toMatchObject({
      code: "DATA_DIR_INVALID",
      message: expect.stringContaining(dataDir),
    });
  }
});
