import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileJsonStore } from "../../../src/orchestration/file-store.ts";
import { memoryJsonStore } from "../../../src/orchestration/memory-store.ts";
import {
  createDurableOrchestrationServices,
  createInMemoryOrchestrationServices,
} from "../../../src/orchestration/services.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const open = () => createInMemoryOrchestrationServices();

describe("options", () => {
  test.each([
    [{ rootDir: 1 }, "rootDir"],
    [{}, "rootDir"],
    [{ rootDir: "" }, "rootDir"],
    [{ rootDir: "a", root: "b" }, 'Unknown option "root"'],
    [{ rootDir: "a", now: 5 }, "now"],
    [{ store: null }, "readJson, writeJson, remove, listDir, withLock"],
    [{ store: { readJson: Date.now, writeJson: Date.now } }, "it lacks remove, listDir, withLock"],
  ])("%j is refused by name", (options, named) => {
    const call = () => createDurableOrchestrationServices(options as never);
    expect(call).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
    expect(call).toThrow(named);
  });

  test("making services touches no disk", () => {
    const rootDir = join(tempDir(), "a");
    createDurableOrchestrationServices({ rootDir });
    expect(readdirSync(join(rootDir, ".."))).toEqual([]);
  });

  test("two root directories in one store are two worlds", async () => {
    const store = memoryJsonStore();
    const roots = ["a", "a/b", ".a", "a.b", "A", undefined];
    for (const rootDir of roots) {
      const services = createDurableOrchestrationServices({
        store,
        ...(rootDir === undefined ? {} : { rootDir }),
      });
      expect(await services.tasks.list()).toEqual([]);
      await services.tasks.create({ kind: "k" });
    }
  });
});

describe("arguments", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;

  test.each([
    ["an id with a slash", () => open().tasks.create({ id: "../a", kind: "k" }), "id"],
    ["an id that is too long", () => open().tasks.create({ id: "a".repeat(101), kind: "k" }), "id"],
    ["no kind", () => open().tasks.create({} as never), "kind"],
    ["an unknown option", () => open().tasks.create({ kind: "k", inputs: 1 } as never), "inputs"],
    ["a circle", () => open().tasks.create({ kind: "k", input: circle }), "input"],
    ["a bigint", () => open().tasks.create({ kind: "k", input: 1n }), "input"],
    ["a function", () => open().tasks.create({ kind: "k", input: () => 1 }), "input"],
    [
      "a value that is too large",
      () => open().tasks.create({ kind: "k", input: "x".repeat(262_143) }),
      "262145",
    ],
    ["a time that is none", () => open().wakeups.create({ wakeAtMs: 1.5 }), "wakeAtMs"],
    ["no owner", () => open().tasks.claim({} as never), "owner"],
    ["a lease of nothing", () => open().tasks.claim({ owner: "a", leaseMs: 0 }), "leaseMs"],
    ["a claim that is none", () => open().tasks.complete(undefined as never), "claim"],
    ["a row that is not there", () => open().tasks.cancel("a"), '"a"'],
    ["a limit of nothing", () => open().tasks.list({ limit: 0 }), "limit"],
    [
      "too many settings",
      () => open().workflowQueues.configure("q", { concurrent: 2 } as never),
      "concurrent",
    ],
    ["a hash that is none", () => open().artifacts.create({ location: "/a", sha256: "00" }), "sha256"],
    ["every second", () => open().schedules.create({ everyMs: 10 }), "everyMs"],
  ])("%s is LEDGER_INVALID and named", async (_, call, named) => {
    const error = await (async () => call())().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "LEDGER_INVALID", message: expect.stringContaining(named) });
  });

  test("a value is what JSON keeps of it, at once and later", async () => {
    const { tasks } = open();
    const input = { at: new Date(0), gone: undefined, list: [undefined, Number.NaN] };
    const task = await tasks.create({ id: "a", kind: "k", input });
    expect(task.input).toEqual({ at: "1970-01-01T00:00:00.000Z", list: [null, null] });
    expect(await tasks.get("a")).toEqual(task);
  });
});

describe("the end of attempts", () => {
  test("a row whose owners all die fails, and lies with the dead letters as it was", async () => {
    let nowMs = 1_000;
    const { tasks, deadLetters } = createInMemoryOrchestrationServices({ now: () => nowMs });
    await tasks.create({ id: "a", kind: "k", input: "x".repeat(200_000), maxAttempts: 2 });
    for (let attempt = 0; attempt < 2; attempt++, nowMs += 31_000)
      expect(await tasks.claim({ owner: `w${attempt}` })).toMatchObject({ attempts: attempt + 1 });
    expect(await tasks.claim({ owner: "w2" })).toBeUndefined();
    expect(await tasks.get("a")).toMatchObject({ status: "failed", error: "w1 was not heard of again" });
    const [letter, ...others] = await deadLetters.list({ ledger: "tasks" });
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ rowId: "a", reason: "w1 was not heard of again", row: { attempts: 2 } });
  });

  test("a letter that was written before its owner died is enough", async () => {
    const store = memoryJsonStore();
    let mayWrite = true;
    const services = createDurableOrchestrationServices({
      store: {
        readJson: (path) => store.readJson(path),
        remove: (path, options) => store.remove(path, options),
        listDir: (path) => store.listDir(path),
        withLock: (name, options, run) => store.withLock(name, options, run),
        writeJson: async (path, value, options) => {
          if (!mayWrite && path.startsWith("tasks/")) throw new Error("died");
          await store.writeJson(path, value, options);
        },
      },
    });
    const task = await services.tasks.create({ kind: "k" });
    const claimed = await services.tasks.claim({ owner: "w" });
    if (claimed === undefined) throw new Error("nothing to claim");
    mayWrite = false;
    await expect(services.tasks.fail(claimed.claim, "first", { retry: false })).rejects.toThrow("died");
    mayWrite = true;
    await services.tasks.fail(claimed.claim, "second", { retry: false });
    expect(await services.tasks.get(task.id)).toMatchObject({ status: "failed", error: "second" });
    expect((await services.deadLetters.list()).map(({ reason }) => reason)).toEqual(["first"]);
  });
});

describe("files", () => {
  const setup = async () => {
    const rootDir = tempDir();
    const services = createDurableOrchestrationServices({ rootDir });
    for (const id of ["a", "B"]) await services.tasks.create({ id, kind: "k" });
    return { rootDir, services };
  };

  test("another process finds what was written, flushed", async () => {
    const { rootDir } = await setup();
    const { tasks } = createDurableOrchestrationServices({ rootDir });
    expect((await tasks.list()).map(({ id }) => id)).toEqual(["B", "a"]);
    expect(readdirSync(join(rootDir, "tasks/items")).sort()).toEqual(["^b.json", "a.json"]);
    expect(readFileSync(join(rootDir, "tasks/items/a.json"), "utf8")).toMatch(/\}\n$/);
  });

  test.each([
    ["cut", (file: string) => truncateSync(file, 30)],
    ["empty", (file: string) => truncateSync(file, 0)],
    ["no row", (file: string) => writeFileSync(file, '{"row":{"id":"other"}}\n')],
  ])("a file that is %s is named, and the other rows are as before", async (_, spoil) => {
    const { rootDir, services } = await setup();
    spoil(join(rootDir, "tasks/items/a.json"));
    const error = await services.tasks.get("a").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "STORE_FAILED", message: expect.stringContaining("tasks/items/a") });
    expect(await services.tasks.get("B")).toMatchObject({ id: "B" });
    await services.tasks.create({ kind: "k" });
  });

  test("a task that cannot be read holds up no other, and is told when there is none", async () => {
    const { rootDir, services } = await setup();
    truncateSync(join(rootDir, "tasks/items/^b.json"), 30);
    expect(await services.tasks.claim({ owner: "w" })).toMatchObject({ id: "a" });
    const error = await services.tasks.claim({ owner: "w" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "STORE_FAILED", message: expect.stringContaining("^b.json") });
  });

  test("a root that is a file is named", async () => {
    const file = join(tempDir(), "file");
    writeFileSync(file, "");
    const { tasks } = createDurableOrchestrationServices({ rootDir: file });
    const error = await tasks.create({ kind: "k" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "STORE_FAILED", message: expect.stringContaining(file) });
  });

  test("a queue that has been worked off leaves no directory of its own, only the ledger's last token", async () => {
    const rootDir = tempDir();
    const store = fileJsonStore({ rootDir, sync: false });
    const { signals } = createDurableOrchestrationServices({ store });
    await signals.create({ target: "run-1", name: "n" });
    const signal = await signals.claim({ target: "run-1", owner: "w" });
    if (signal !== undefined) await signals.complete(signal.claim);
    expect(await signals.prune({ endedBeforeMs: Date.now() + 1_000 })).toBe(1);
    const files = readdirSync(rootDir, { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => !name.startsWith(".locks"))).toEqual([
      "signals",
      "signals/last-token.json",
    ]);
  });

  test("files of others in its directories are not taken for values", async () => {
    const { rootDir, services } = await setup();
    writeFileSync(join(rootDir, "tasks/items/.DS_Store"), "");
    writeFileSync(join(rootDir, "tasks/items/Notes.json"), "");
    mkdirSync(join(rootDir, "tasks/items/.git"));
    expect((await services.tasks.list()).map(({ id }) => id)).toEqual(["B", "a"]);
  });
});
