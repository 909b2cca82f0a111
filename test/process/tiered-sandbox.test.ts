/** Two sandboxes of this process as tiers: which one a command goes to, what goes along, and what is told. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type CreateSandboxOptions,
  type HarnessEvent,
  type HarnessSandbox,
  type HarnessSandboxFactory,
  justBashSandbox,
  type TieredSandboxOptions,
  tieredSandbox,
} from "../../src/index.ts";
import { createShellRuntime } from "../../src/sandbox.ts";
import { resolveTraceOptions } from "../../src/shell/trace-options.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** A script with the word `up` needs the higher tier. */
function classify(script: string) {
  const offset = script.search(/\bup\b/);
  if (offset === -1) return { tier: 0, commands: [], reasons: [] } as const;
  const reasons = [{ command: "up", why: "it is up there", line: 1, column: offset + 1, offset }];
  return { tier: 1, commands: ["up"], reasons } as const;
}

/** A factory that counts what it opened and what was disposed of. */
function counted(factory: HarnessSandboxFactory = justBashSandbox()) {
  const count = { asked: 0, opened: 0, disposed: 0 };
  const counting: HarnessSandboxFactory = async (create) => {
    count.asked++;
    const sandbox = await factory(create);
    count.opened++;
    const counted: HarnessSandbox = {
      exec: (...given) => sandbox.exec(...given),
      fs: sandbox.fs,
      isolation: () => sandbox.isolation(),
      dispose: () => {
        count.disposed++;
        return sandbox.dispose();
      },
      [Symbol.asyncDispose]: () => sandbox.dispose(),
    };
    return counted;
  };
  return { factory: counting, count };
}

async function open(options: TieredSandboxOptions = {}, create: Partial<CreateSandboxOptions> = {}) {
  const directory = tempDir();
  const events: HarnessEvent[] = [];
  const tier0 = counted();
  const tier1 = counted();
  const sandbox = await tieredSandbox({
    tier0: tier0.factory,
    nextTier: tier1.factory,
    classify,
    tripWires: ["git"],
    ...options,
  })({
    workspace: {
      mounts: [{ path: "/w", backingPath: directory, access: "rw", tracked: true }],
      cwd: "/w",
      capabilities: { python: false, javascript: true },
    },
    emit: (event) => events.push(event),
    ...create,
  });
  onTestFinished(() => sandbox.dispose());
  return { sandbox, directory, events, tier0: tier0.count, tier1: tier1.count };
}

/** One line an event: its type, and what tells where and how. */
function told(events: readonly HarnessEvent[]): string[] {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  return events.map((event) => {
    const tier = "tier" in event && event.tier !== undefined ? ` in ${event.tier}` : "";
    const path = "path" in event ? ` ${event.path} ${event.source}` : "";
    const command = "command" in event ? ` ${event.command}` : "";
    const code = "exitCode" in event ? ` ${event.exitCode}` : "";
    return `${event.type.replace("harness.", "").replace("runtime.command.", "")}${command}${path}${code}${tier}`;
  });
}

const FULL = resolveTraceOptions(undefined, "full");

const REFUSED = { exitCode: 126, stdout: "", ending: { kind: "refused", by: "tier" } };

test("a turn that needs nothing more stays in tier 0, and nothing else is opened", async () => {
  const { sandbox, tier1, events } = await open();
  expect(await sandbox.exec("cd /tmp; x=1; echo a")).toMatchObject({ stdout: "a\n", tier: 0 });
  expect(await sandbox.exec("echo $x $PWD")).toMatchObject({
    stdout: "1 /tmp\n",
    tier: 0,
    stateRestored: true,
  });
  expect(await sandbox.isolation()).toMatchObject({ tier: 0 });
  await sandbox.dispose();
  expect(tier1.asked).toBe(0);
  expect(told(events)).toEqual([
    "started cd /tmp; x=1; echo a in 0",
    "completed 0 in 0",
    "started echo $x $PWD in 0",
    "completed 0 in 0",
  ]);
});

describe("without a higher tier", () => {
  test("a command that needs one is refused before anything of it runs, in one line, and told", async () => {
    const { sandbox, directory, events } = await open({ nextTier: undefined });
    writeFileSync(join(directory, "x"), "");
    let live = "";
    const onStderr = (chunk: Uint8Array) => {
      live += Buffer.from(chunk).toString();
    };
    const result = await sandbox.exec("rm -rf x; up status", { onStderr });
    expect(result).toMatchObject({ ...REFUSED, changes: [] });
    expect(result.stderr).toBe(
      "little-harness: up (line 1, column 11) (it is up there) needs a higher tier, and this sandbox has none: nothing of the script ran; do without it\n",
    );
    expect(live).toBe(result.stderr);
    expect(result.tier).toBeUndefined();
    expect(existsSync(join(directory, "x"))).toBe(true);
    expect(await sandbox.exec("echo on")).toMatchObject({ stdout: "on\n", tier: 0 });
    expect(told(events)).toEqual([
      "started rm -rf x; up status",
      "failed 126",
      "started echo on in 0",
      "completed 0 in 0",
    ]);
  });

  test("a trip wire ends a script, says that nothing is higher, and changes nothing for the next one", async () => {
    const { sandbox, events } = await open({ nextTier: undefined }, { traceOptions: FULL });
    let live = "";
    const onStderr = (chunk: Uint8Array) => {
      live += Buffer.from(chunk).toString();
    };
    const result = await sandbox.exec("echo a; x=git; $x log", { onStderr });
    expect(result).toMatchObject({ ...REFUSED, stdout: "a\n", tier: 0 });
    expect(result.stderr).toMatch(
      /^little-harness: git \(line 1\) is not in this tier: .*\nlittle-harness: this sandbox has no higher tier: .* do without it\n$/,
    );
    expect(live).toBe(result.stderr);
    expect(Buffer.from(result.stderrBytes).toString()).toBe(result.stderr);
    expect(events.at(-1)).toMatchObject({ stderr: live, stderrBytes: Buffer.byteLength(live) });
    expect(await sandbox.exec("echo on")).toMatchObject({ stdout: "on\n", stderr: "", tier: 0 });
  });
});

describe("the move", () => {
  test("is made once, with cwd and variables, and the rest of the turn stays above", async () => {
    const { sandbox, tier0, tier1, events } = await open();
    await sandbox.exec(
      "mkdir d; cd d; plain=1; export shown='a  b'; list=(1 '2 3'); code='$(echo no)'; unset LANG",
    );
    const shown = 'echo "$PWD $plain ${list[1]} $code ${LANG-gone}"; printenv shown plain; ls /w';
    expect(await sandbox.exec(`: up; ${shown}`)).toMatchObject({
      stdout: "/w/d 1 2 3 $(echo no) gone\na  b\nd\n",
      tier: 1,
      stateRestored: true,
    });
    expect(tier0).toEqual({ asked: 1, opened: 1, disposed: 1 });
    expect(await sandbox.exec("plain=2; cd ..")).toMatchObject({ tier: 1 });
    expect(await sandbox.exec("echo $plain $PWD")).toMatchObject({ stdout: "2 /w\n", tier: 1 });
    expect(await sandbox.isolation()).toMatchObject({ tier: 1 });
    await sandbox.dispose();
    expect(tier0).toEqual({ asked: 1, opened: 1, disposed: 1 });
    expect(tier1).toEqual({ asked: 1, opened: 1, disposed: 1 });
    expect(told(events).filter((line) => !line.startsWith("started"))).toEqual([
      "completed 0 in 0",
      "file.created /w/d command",
      "completed 0 in 1",
      "completed 0 in 1",
      "completed 0 in 1",
    ]);
    expect(told(events).filter((line) => line.startsWith("started"))).toHaveLength(4);
  });

  test("tells each change once, whoever made it and in whichever tier", async () => {
    const { sandbox, directory, events } = await open();
    await sandbox.exec("echo 1 > a; echo 1 > b");
    await sandbox.fs.writeFile("/w/c", "1");
    writeFileSync(join(directory, "others"), "1");
    await sandbox.exec("up; echo 2 > b; rm a");
    await sandbox.fs.writeFile("/w/c", "22");
    writeFileSync(join(directory, "others"), "22");
    await sandbox.dispose();
    expect(told(events).filter((line) => line.startsWith("file"))).toEqual([
      "file.created /w/a command",
      "file.created /w/b command",
      "file.created /w/c fs",
      "file.created /w/others unknown",
      "file.deleted /w/a command",
      "file.modified /w/b command",
      "file.modified /w/c fs",
      "file.modified /w/others unknown",
    ]);
  });

  test("is not made for what `fs` does, which goes to the tier of the moment", async () => {
    const { sandbox, tier1 } = await open();
    await sandbox.exec("echo t0 > /tmp/private");
    expect(await sandbox.fs.readFile("/tmp/private")).toBe("t0\n");
    expect(tier1.asked).toBe(0);
    await sandbox.exec(": up; echo t1 > /tmp/private");
    expect(await sandbox.fs.readFile("/tmp/private")).toBe("t1\n");
  });

  test("after a trip wire is made by the next command; what was done is neither undone nor done again", async () => {
    const { sandbox, directory, tier1 } = await open();
    const first = await sandbox.exec('echo x >> log; x=git; "$x" add; echo y >> log');
    expect(first).toMatchObject({ ...REFUSED, tier: 0, changes: [{ change: "created", path: "/w/log" }] });
    expect(tier1.asked).toBe(0);
    expect(await sandbox.exec("cat log")).toMatchObject({ stdout: "x\n", tier: 1 });
    expect(readFileSync(join(directory, "log"), "utf8")).toBe("x\n");
  });

  test("keeps the order of parallel calls", async () => {
    const { sandbox, tier1 } = await open();
    const scripts = ["echo 1 >> log", ": up; echo 2 >> log", "echo 3 >> log", ": up; echo 4 >> log; cat log"];
    const results = await Promise.all(scripts.map((script) => sandbox.exec(script)));
    expect(results.map(({ tier }) => tier)).toEqual([0, 1, 1, 1]);
    expect(results[3]?.stdout).toBe("1\n2\n3\n4\n");
    expect(tier1.asked).toBe(1);
  });

  test("to where the shell's directory is not there refuses one command, which would run elsewhere", async () => {
    const { sandbox } = await open();
    await sandbox.exec("mkdir /tmp/only-here; cd /tmp/only-here; x=1");
    const result = await sandbox.exec(": up; touch no");
    expect(result).toMatchObject({ ...REFUSED, changes: [] });
    expect(result.stderr).toMatch(/^little-harness: .*does not exist.*\n$/);
    expect(await sandbox.exec("echo $PWD $x")).toMatchObject({ stdout: "/w 1\n", tier: 1 });
  });

  test("is made with a tier 0 that was never used", async () => {
    const { sandbox } = await open();
    expect(await sandbox.exec(": up; echo $PWD")).toMatchObject({
      stdout: "/w\n",
      tier: 1,
      stateRestored: true,
    });
  });

  test("keeps the numbers of commands that tool results are recorded under", async () => {
    const numbers: number[] = [];
    const tools = { log: { description: "", execute: () => null } };
    const replay = {
      lookup: ({ commandNumber }: { commandNumber: number }) => {
        numbers.push(commandNumber);
        return undefined;
      },
      record: () => undefined,
    };
    const { sandbox } = await open({}, { tools, toolContext: null, replay });
    const call = "js-exec -c 'await tools.log()'";
    for (const script of ["true", call, `: up; ${call}`, call]) await sandbox.exec(script);
    expect(numbers).toEqual([2, 3, 4]);
  });
});

test("what others change while the shell is being moved is nobody's, and told", async () => {
  const { sandbox, events, directory } = await open({
    nextTier: async ({ workspace, emit }) =>
      createShellRuntime({
        workspace,
        emit,
        // An executor that does not say what it touches: the mounts are walked before and after each command.
        execute: async ({ command }) => {
          if (command.includes("cd -- ")) writeFileSync(join(directory, "others"), "1");
          return { exitCode: 0, stdout: "", stderr: "" };
        },
      }),
  });
  await sandbox.exec("true");
  expect(await sandbox.exec("up")).toMatchObject({ tier: 1, changes: [] });
  await sandbox.dispose();
  const files = events.filter(({ type }) => type.startsWith("harness.file"));
  expect(files).toMatchObject([{ path: "/w/others", source: "unknown", unreported: true }]);
  expect(files[0]).not.toHaveProperty("commandId");
});

describe("what a tool runs", () => {
  test("runs beside the command that waits for it, in the tier of that one", async () => {
    const tiers: (number | undefined)[] = [];
    const run = {
      description: "",
      execute: async () => {
        const result = await opened.sandbox.exec("echo in; : up");
        tiers.push(result.tier);
        return result.stdout;
      },
    };
    const opened = await open({}, { tools: { run }, toolContext: null });
    const call = "js-exec -c 'console.log(await tools.run())'";
    expect(await opened.sandbox.exec(call)).toMatchObject({ stdout: "in\n\n", tier: 0 });
    expect(await opened.sandbox.exec(`: up; ${call}`)).toMatchObject({ stdout: "in\n\n", tier: 1 });
    expect(tiers).toEqual([0, 1]);
  });
});

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
      const { sandbox, events } = await open({ nextTier, provisionTimeoutMs: 30 });
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
    const { sandbox } = await open({ nextTier: () => Promise.reject(new Error("too busy")) });
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
    const { sandbox } = await open({ nextTier });
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
    const { sandbox } = await open({ nextTier, provisionTimeoutMs: 20 });
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
    const { sandbox, tier0 } = await open({ nextTier: dead.factory });
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
    const { sandbox } = await open({ nextTier: broken({ exec }) });
    const result = await sandbox.exec("up");
    expect(result).toMatchObject({ exitCode: 126, ending: { kind: "unknown", why }, tier: 1 });
    expect(result.stderr).toBe(`harness: ${why}\n`);
  });

  test("in that its dispose rejects is told", async () => {
    const { sandbox, events } = await open({
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
    const { sandbox } = await open({ nextTier });
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
    const { sandbox, events } = await open({ nextTier });
    const late = await sandbox.exec("up", { timeoutMs: 30 });
    expect(late).toMatchObject({ exitCode: 124, ending: { kind: "killed", by: "deadline" } });
    release();
    expect(await sandbox.exec(": up")).toMatchObject({ exitCode: 0, tier: 1 });
    expect(count.asked).toBe(1);
    expect(told(events)[1]).toBe("failed 124");
  });

  test("dispose refuses the commands that wait, and disposes of the sandbox that comes", async () => {
    const { nextTier, count, release, isAsked } = held();
    const { sandbox, events, tier0 } = await open({ nextTier });
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
    const { sandbox } = await open({ classify: bad as typeof classify });
    const result = await sandbox.exec("touch no");
    expect(result).toMatchObject({ exitCode: 126, ending: { kind: "refused", by: "policy" }, changes: [] });
    expect(result.stderr).toBe(
      `little-harness: the script could not be classified (${why}): nothing of it ran\n`,
    );
  });

  test("that takes its time is waited for until the command's deadline", async () => {
    const { sandbox } = await open({ classify: () => new Promise(() => undefined) });
    expect(await sandbox.exec("true", { timeoutMs: 20 })).toMatchObject({ exitCode: 124 });
  });
});

test("bad options of exec are refused as in any sandbox", async () => {
  const { sandbox, events } = await open();
  const result = await sandbox.exec("true", { timeoutMs: -1 });
  expect(result).toMatchObject({ exitCode: 126, ending: { kind: "refused", by: "policy" } });
  expect(result.stderr).toBe("harness: exec: timeoutMs: expected milliseconds above 0\n");
  expect(told(events)).toEqual(["started true", "failed 126"]);
});

test.each<[string, object]>([
  ["tier0", { tier0: "subprocess" }],
  ["nextTier", { nextTier: {} }],
  ["classify", { classify: true }],
  ["tripWires", { tripWires: ["/bin/git"] }],
  ["provisionTimeoutMs", { provisionTimeoutMs: 0 }],
  ["other", { other: 1 }],
])("a wrong %s is an error at the call that names it", (option, options) => {
  expect(() => tieredSandbox(options)).toThrow(
    expect.objectContaining({ code: "OPTION_INVALID", data: { option } }),
  );
});

test("a workspace that makes no sense rejects as in tier 0", async () => {
  await expect(
    tieredSandbox({ tier0: justBashSandbox() })({
      workspace: { mounts: [], cwd: "w", capabilities: { python: false, javascript: false } },
      emit: () => undefined,
    }),
  ).rejects.toMatchObject({ code: "WORKSPACE_INVALID" });
});

test("changes that a dead host left in the journal are told once, by whichever tier comes first", async () => {
  const changeJournal = join(tempDir(), "journal");
  const { sandbox, events } = await open({}, { changeJournal });
  await sandbox.exec("echo 1 > a");
  await sandbox.exec(": up; echo 2 > a");
  await sandbox.dispose();
  expect(told(events).filter((line) => line.startsWith("file"))).toEqual([
    "file.created /w/a command",
    "file.modified /w/a command",
  ]);
  expect(readFileSync(changeJournal, "utf8")).toBe("");
});
