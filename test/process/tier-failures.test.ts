/** A higher tier that is late, fails or breaks the contract, and a classification that does: one command is told. */
import { describe, expect, test } from "vitest";
import { type HarnessSandbox, type HarnessSandboxFactory, justBashSandbox } from "../../src/index.ts";
import { type classify, counted, openTiers, REFUSED, told } from "../helpers/tiers.ts";

describe("a higher tier that cannot be opened", () => {
  const failing: [string, HarnessSandboxFactory, string][] = [
    [
      "throws",
      () => {
        throw new Error("no\nplace at /srv/secret/x");
      },
      "no place at <path>",
    ],
    ["rejects", () => Promise.reject(new Error("too busy")), "too busy"],
    [
      "gives no sandbox",
      () => Promise.resolve({ exec: 1 } as unknown as HarnessSandbox),
      "its factory gave no sandbox",
    ],
    ["gives nothing", (() => undefined) as unknown as HarnessSandboxFactory, "its factory gave no sandbox"],
    ["never settles", () => new Promise(() => undefined), "it was not there after 30 ms"],
  ];
  test.each(failing)(
    "because its factory %s is one refused command, and tier 0 goes on",
    async (_, nextTier, why) => {
      const { sandbox, events } = await openTiers({ nextTier, provisionTimeoutMs: 30 });
      await sandbox.exec("x=1");
      const result = await sandbox.exec("touch no; up");
      expect(result).toMatchObject({ ...REFUSED, changes: [] });
      expect(result.stderr).toBe(
        `little-harness: up (line 1, column 11) (it is up there) needs a higher tier, which could not be opened (${why}): nothing of the script ran; send it again later, or do without it\n`,
      );
      expect(await sandbox.exec("echo $x")).toMatchObject({ stdout: "1\n", tier: 0 });
      expect(told(events).slice(2)).toEqual([
        "started touch no; up",
        "failed 126",
        "started echo $x in 0",
        "completed 0 in 0",
      ]);
    },
  );

  test("after a trip wire refuses one command, whatever it is, and the next runs in tier 0", async () => {
    const { sandbox } = await openTiers({ nextTier: () => Promise.reject(new Error("too busy")) });
    await sandbox.exec("x=git; $x log");
    const result = await sandbox.exec("echo on");
    expect(result).toMatchObject(REFUSED);
    expect(result.stderr).toMatch(/^little-harness: .*too busy.* send it again: it runs in tier 0\n$/);
    expect(await sandbox.exec("echo on")).toMatchObject({ stdout: "on\n", tier: 0 });
  });

  test("is tried again by the next command that needs it", async () => {
    const good = counted();
    let asked = 0;
    const nextTier: HarnessSandboxFactory = (create) =>
      ++asked === 1 ? Promise.reject(new Error("too busy")) : good.factory(create);
    const { sandbox } = await openTiers({ nextTier });
    expect(await sandbox.exec("up")).toMatchObject(REFUSED);
    expect(await sandbox.exec(": up")).toMatchObject({ exitCode: 0, tier: 1 });
    await sandbox.dispose();
    expect(good.count).toEqual({ asked: 1, opened: 1, disposed: 1 });
  });

  test("and comes late is disposed of, once", async () => {
    const late = counted();
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const nextTier: HarnessSandboxFactory = async (create) => {
      await arrived;
      return await late.factory(create);
    };
    const { sandbox } = await openTiers({ nextTier, provisionTimeoutMs: 20 });
    expect(await sandbox.exec("up")).toMatchObject(REFUSED);
    arrive();
    await expect.poll(() => late.count.disposed).toBe(1);
    expect(await sandbox.exec("echo on")).toMatchObject({ tier: 0 });
    await sandbox.dispose();
    expect(late.count).toEqual({ asked: 1, opened: 1, disposed: 1 });
  });

  test("because its shell runs no first command is disposed of, and tier 0 goes on as it was", async () => {
    const dead = counted(async (create) => {
      const sandbox = await justBashSandbox()(create);
      const exec: HarnessSandbox["exec"] = () => sandbox.exec("while :; do :; done", { timeoutMs: 20 });
      return {
        ...sandbox,
        exec,
        fs: sandbox.fs,
        isolation: () => sandbox.isolation(),
        dispose: () => sandbox.dispose(),
      };
    });
    const { sandbox, tier0 } = await openTiers({ nextTier: dead.factory });
    await sandbox.exec("x=1");
    expect(await sandbox.exec("up")).toMatchObject(REFUSED);
    expect(dead.count).toEqual({ asked: 1, opened: 1, disposed: 1 });
    expect(await sandbox.exec("echo $x")).toMatchObject({ stdout: "1\n", tier: 0 });
    expect(tier0.disposed).toBe(0);
  });
});

describe("a higher tier that breaks the contract", () => {
  const broken = (over: object): HarnessSandboxFactory => {
    return async (create) => {
      const sandbox = await justBashSandbox()(create);
      let calls = 0;
      const exec: HarnessSandbox["exec"] = (command, options) =>
        ++calls > 1 && "exec" in over
          ? (over.exec as HarnessSandbox["exec"])(command, options)
          : sandbox.exec(command, options);
      const dispose = () => sandbox.dispose();
      return {
        fs: sandbox.fs,
        isolation: () => sandbox.isolation(),
        dispose,
        ...over,
        exec,
      } as HarnessSandbox;
    };
  };

  test.each<[string, () => unknown, string]>([
    ["rejects", () => Promise.reject(new Error("gone")), "the sandbox failed: gone"],
    ["gives no result", () => Promise.resolve(undefined), "the sandbox failed: it gave no result"],
  ])("in that its exec %s gives a result all the same", async (_, exec, why) => {
    const { sandbox } = await openTiers({ nextTier: broken({ exec }) });
    const result = await sandbox.exec("up");
    expect(result).toMatchObject({ exitCode: 126, ending: { kind: "unknown", why }, tier: 1 });
    expect(result.stderr).toBe(`harness: ${why}\n`);
  });

  test("in that its dispose rejects is told", async () => {
    const { sandbox, events } = await openTiers({
      nextTier: broken({ dispose: () => Promise.reject(new Error("stuck")) }),
    });
    await sandbox.exec(": up");
    await sandbox.dispose();
    expect(events.at(-1)).toMatchObject({ type: "harness.runtime.dispose.failed", error: "stuck" });
  });
});

/** A higher tier that is opened when the test says so. */
function held() {
  const inner = counted();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begun: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const nextTier: HarnessSandboxFactory = async (create) => {
    begun();
    await released;
    return await inner.factory(create);
  };
  return { nextTier, count: inner.count, release, isAsked };
}

describe("while the higher tier is being opened", () => {
  test("a command that is aborted ends as such; the next one finds the sandbox opened", async () => {
    const { nextTier, count, release, isAsked } = held();
    const { sandbox } = await openTiers({ nextTier });
    const abort = new AbortController();
    const aborted = sandbox.exec("up", { signal: abort.signal });
    await isAsked;
    abort.abort();
    expect(await aborted).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "abort" } });
    const next = sandbox.exec("echo on");
    release();
    expect(await next).toMatchObject({ stdout: "on\n", tier: 1 });
    expect(count.asked).toBe(1);
  });

  test("a command ends at its deadline, and the sandbox that comes then is the next one's", async () => {
    const { nextTier, count, release } = held();
    const { sandbox, events } = await openTiers({ nextTier });
    const late = await sandbox.exec("up", { timeoutMs: 30 });
    expect(late).toMatchObject({ exitCode: 124, ending: { kind: "killed", by: "deadline" } });
    release();
    expect(await sandbox.exec(": up")).toMatchObject({ exitCode: 0, tier: 1 });
    expect(count.asked).toBe(1);
    expect(told(events)[1]).toBe("failed 124");
  });

  test("dispose refuses the commands that wait, and disposes of the sandbox that comes", async () => {
    const { nextTier, count, release, isAsked } = held();
    const { sandbox, events, tier0 } = await openTiers({ nextTier });
    const waiting = [sandbox.exec("up"), sandbox.exec("echo next")];
    await isAsked;
    const disposed = sandbox.dispose();
    for (const result of await Promise.all(waiting))
      expect(result).toMatchObject({ exitCode: 126, ending: { kind: "refused", by: "policy" } });
    release();
    await disposed;
    expect(count).toEqual({ asked: 1, opened: 1, disposed: 1 });
    expect(tier0.disposed).toBe(1);
    const count0 = events.length;
    expect(await sandbox.exec("echo")).toMatchObject({ ending: { kind: "refused", by: "policy" } });
    expect(events).toHaveLength(count0);
    expect(told(events).sort()).toEqual(["failed 126", "failed 126", "started echo next", "started up"]);
    await expect(sandbox.fs.readFile("/w/x")).rejects.toMatchObject({ code: "SANDBOX_DISPOSED" });
  });
});

describe("classify", () => {
  test.each<[string, () => unknown, string]>([
    [
      "throws",
      () => {
        throw new Error("no idea");
      },
      "no idea",
    ],
    ["rejects", () => Promise.reject(new Error("no idea")), "no idea"],
    ["gives nothing", () => undefined, "classify gave no tier 0 or 1"],
    ["gives no commands", () => ({ tier: 1 }), "classify gave no commands"],
  ])("that %s refuses the command, and says why", async (_, bad, why) => {
    const { sandbox } = await openTiers({ classify: bad as typeof classify });
    const result = await sandbox.exec("touch no");
    expect(result).toMatchObject({ exitCode: 126, ending: { kind: "refused", by: "policy" }, changes: [] });
    expect(result.stderr).toBe(
      `little-harness: the script could not be classified (${why}): nothing of it ran\n`,
    );
  });

  test("that takes its time is waited for until the command's deadline", async () => {
    const { sandbox } = await openTiers({ classify: () => new Promise(() => undefined) });
    expect(await sandbox.exec("true", { timeoutMs: 20 })).toMatchObject({ exitCode: 124 });
  });
});
