/** Two sandboxes of this process as tiers: which one a command goes to, what goes along, and what is told. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { justBashSandbox, tieredSandbox } from "../../src/index.ts";
import { createShellRuntime } from "../../src/sandbox.ts";
import { resolveTraceOptions } from "../../src/shell/trace-options.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { openTiers, REFUSED, told } from "../helpers/tiers.ts";

const FULL = resolveTraceOptions(undefined, "full");

test("a turn that needs nothing more stays in tier 0, and nothing else is opened", async () => {
  const { sandbox, tier1, events } = await openTiers();
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
    const { sandbox, directory, events } = await openTiers({ nextTier: undefined });
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
    const { sandbox, events } = await openTiers({ nextTier: undefined }, { traceOptions: FULL });
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
    const { sandbox, tier0, tier1, events } = await openTiers();
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
    const { sandbox, directory, events } = await openTiers();
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
    const { sandbox, tier1 } = await openTiers();
    await sandbox.exec("echo t0 > /tmp/private");
    expect(await sandbox.fs.readFile("/tmp/private")).toBe("t0\n");
    expect(tier1.asked).toBe(0);
    await sandbox.exec(": up; echo t1 > /tmp/private");
    expect(await sandbox.fs.readFile("/tmp/private")).toBe("t1\n");
  });

  test("after a trip wire is made by the next command; what was done is neither undone nor done again", async () => {
    const { sandbox, directory, tier1 } = await openTiers();
    const first = await sandbox.exec('echo x >> log; x=git; "$x" add; echo y >> log');
    expect(first).toMatchObject({ ...REFUSED, tier: 0, changes: [{ change: "created", path: "/w/log" }] });
    expect(tier1.asked).toBe(0);
    expect(await sandbox.exec("cat log")).toMatchObject({ stdout: "x\n", tier: 1 });
    expect(readFileSync(join(directory, "log"), "utf8")).toBe("x\n");
  });

  test("keeps the order of parallel calls", async () => {
    const { sandbox, tier1 } = await openTiers();
    const scripts = ["echo 1 >> log", ": up; echo 2 >> log", "echo 3 >> log", ": up; echo 4 >> log; cat log"];
    const results = await Promise.all(scripts.map((script) => sandbox.exec(script)));
    expect(results.map(({ tier }) => tier)).toEqual([0, 1, 1, 1]);
    expect(results[3]?.stdout).toBe("1\n2\n3\n4\n");
    expect(tier1.asked).toBe(1);
  });

  test("to where the shell's directory is not there refuses one command, which would run elsewhere", async () => {
    const { sandbox } = await openTiers();
    await sandbox.exec("mkdir /tmp/only-here; cd /tmp/only-here; x=1");
    const result = await sandbox.exec(": up; touch no");
    expect(result).toMatchObject({ ...REFUSED, changes: [] });
    expect(result.stderr).toMatch(/^little-harness: .*does not exist.*\n$/);
    expect(await sandbox.exec("echo $PWD $x")).toMatchObject({ stdout: "/w 1\n", tier: 1 });
  });

  test("is made with a tier 0 that was never used", async () => {
    const { sandbox } = await openTiers();
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
    const { sandbox } = await openTiers({}, { tools, toolContext: null, replay });
    const call = "js-exec -c 'await tools.log()'";
    for (const script of ["true", call, `: up; ${call}`, call]) await sandbox.exec(script);
    expect(numbers).toEqual([2, 3, 4]);
  });
});

test("what others change while the shell is being moved is nobody's, and told", async () => {
  const { sandbox, events, directory } = await openTiers({
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
    const opened = await openTiers({}, { tools: { run }, toolContext: null });
    const call = "js-exec -c 'console.log(await tools.run())'";
    expect(await opened.sandbox.exec(call)).toMatchObject({ stdout: "in\n\n", tier: 0 });
    expect(await opened.sandbox.exec(`: up; ${call}`)).toMatchObject({ stdout: "in\n\n", tier: 1 });
    expect(tiers).toEqual([0, 1]);
  });
});

test("bad options of exec are refused as in any sandbox", async () => {
  const { sandbox, events } = await openTiers();
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
  const { sandbox, events } = await openTiers({}, { changeJournal });
  await sandbox.exec("echo 1 > a");
  await sandbox.exec(": up; echo 2 > a");
  await sandbox.dispose();
  expect(told(events).filter((line) => line.startsWith("file"))).toEqual([
    "file.created /w/a command",
    "file.modified /w/a command",
  ]);
  expect(readFileSync(changeJournal, "utf8")).toBe("");
});
