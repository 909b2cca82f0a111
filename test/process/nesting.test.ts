/** A tool of the host that runs commands in the very sandbox whose command called it. */
import { expect, test } from "vitest";
import type { ExecResult, HarnessSandbox, OpenSandboxOptions } from "../../src/index.ts";
import { openForTest } from "../helpers/open.ts";
import { failOnStrays } from "../helpers/strays.ts";

failOnStrays();

/** A sandbox whose tools can reach it. */
async function openNested(
  tools: (sandbox: () => HarnessSandbox) => NonNullable<OpenSandboxOptions["tools"]>,
) {
  let sandbox: HarnessSandbox | undefined;
  const opened = await openForTest({
    tools: tools(() => {
      if (sandbox === undefined) throw new Error("called before it was open");
      return sandbox;
    }),
  });
  sandbox = opened.sandbox;
  return opened;
}

const plain = ({ exitCode, stdout, stderr, ending }: ExecResult) => ({ exitCode, stdout, stderr, ending });

test("a tool that runs a command gets its result, and the outer command goes on", async () => {
  const { sandbox } = await openNested((own) => ({
    run: { execute: async ({ script }: { script: string }) => plain(await own().exec(script)) },
  }));
  const result = await sandbox.exec(
    `echo before; js-exec -c 'const r = await tools.run({script: "echo inner; echo err >&2; exit 3"}); console.log(JSON.stringify(r))'; echo after`,
    { timeoutMs: 20_000 },
  );
  const [before, inner, after] = result.stdout.trim().split("\n");
  expect([before, after]).toEqual(["before", "after"]);
  expect(JSON.parse(inner ?? "")).toEqual({
    exitCode: 3,
    stdout: "inner\n",
    stderr: "err\n",
    ending: { kind: "exited" },
  });
  expect(result).toMatchObject({ exitCode: 0, stderr: "", ending: { kind: "exited" } });
});

test("the inner command's output is its own: it never shows in the outer one's streams", async () => {
  const inner: string[] = [];
  const { sandbox } = await openNested((own) => ({
    run: {
      async execute() {
        await own().exec("echo secret; echo hidden >&2", {
          onStdout: (chunk) => inner.push(Buffer.from(chunk).toString()),
        });
      },
    },
  }));
  const outer: string[] = [];
  const result = await sandbox.exec("echo a; js-exec -c 'await tools.run({})'; echo b", {
    onStdout: (chunk) => outer.push(Buffer.from(chunk).toString()),
    timeoutMs: 20_000,
  });
  expect(inner.join("")).toBe("secret\n");
  expect(outer.join("")).toBe("a\nb\n");
  expect(result).toMatchObject({ stdout: "a\nb\n", stderr: "" });
});

test("two commands that one tool runs at once both end, each with its own result", async () => {
  const { sandbox } = await openNested((own) => ({
    run: {
      execute: async () => {
        const results = await Promise.all(
          [1, 2].map((n) => own().exec(`echo ${n}; echo ${n} > /w/file${n}`)),
        );
        return results.map(({ stdout }) => stdout).join("");
      },
    },
  }));
  const result = await sandbox.exec("js-exec -c 'console.log(await tools.run({}))'; cat /w/file1 /w/file2", {
    timeoutMs: 20_000,
  });
  expect(result).toMatchObject({ stdout: "1\n2\n\n1\n2\n", exitCode: 0 });
});

test("many tool calls at once that each run a command all end", async () => {
  const { sandbox } = await openNested((own) => ({
    run: { execute: async ({ n }: { n: number }) => (await own().exec(`echo $((${n} * 2))`)).stdout.trim() },
  }));
  const result = await sandbox.exec(
    "js-exec -c 'console.log((await Promise.all(Array.from({length: 16}, (_, n) => tools.run({n})))).join())'",
    { timeoutMs: 25_000 },
  );
  expect(result.stdout).toBe(`${Array.from({ length: 16 }, (_, n) => n * 2).join()}\n`);
});

test("what an inner command changes in the shell does not reach the outer one, but its files do", async () => {
  const { sandbox } = await openNested((own) => ({
    run: { execute: async () => void (await own().exec("x=inner; cd /tmp; echo file > /w/file")) },
  }));
  await sandbox.exec("x=outer");
  const result = await sandbox.exec(`js-exec -c 'await tools.run({})'; echo "$x $PWD"; cat /w/file`, {
    timeoutMs: 20_000,
  });
  expect(result.stdout).toBe("outer /w\nfile\n");
  expect(await sandbox.exec('echo "$x $PWD"')).toMatchObject({ stdout: "outer /w\n" });
});

test("an inner command starts from the state of the last command that ended", async () => {
  const { sandbox } = await openNested((own) => ({
    run: { execute: async () => (await own().exec('echo "$x $PWD"; f')).stdout },
  }));
  await sandbox.exec("x=seen; f() { echo called; }; cd /tmp");
  const result = await sandbox.exec("js-exec -c 'console.log(await tools.run({}))'", { timeoutMs: 20_000 });
  expect(result.stdout).toBe("seen /tmp\ncalled\n\n");
});

test("js-exec inside an inner command is refused with a reason, and the outer one goes on", async () => {
  const { sandbox } = await openNested((own) => ({
    run: { execute: async () => plain(await own().exec("js-exec -c 'console.log(1)'; echo next")) },
  }));
  const result = await sandbox.exec(
    "js-exec -c 'console.log(JSON.stringify(await tools.run({})))'; echo after",
    {
      timeoutMs: 20_000,
    },
  );
  const [inner, after] = result.stdout.trim().split("\n");
  expect(JSON.parse(inner ?? "")).toMatchObject({
    stdout: "next\n",
    stderr: expect.stringMatching(/^js-exec: not available in a command that a tool runs/),
    ending: { kind: "exited" },
  });
  expect(after).toBe("after");
});

test("a tool that runs one command after the other gets both results", async () => {
  const { sandbox } = await openNested((own) => ({
    run: {
      async execute() {
        const { stdout } = await own().exec("echo one > /w/file; cat /w/file");
        return stdout + (await own().exec("cat /w/file; echo two")).stdout;
      },
    },
  }));
  const result = await sandbox.exec("js-exec -c 'console.log(await tools.run({}))'", { timeoutMs: 20_000 });
  expect(result.stdout).toBe("one\none\ntwo\n\n");
});

test("a command that starts from an inner command's output runs at once too, two levels down", async () => {
  const { sandbox, events } = await openNested((own) => ({
    run: {
      async execute() {
        let third: Promise<ExecResult> | undefined;
        await own().exec("echo second", {
          onStdout: () => {
            third ??= own().exec("echo third");
          },
        });
        return (await third)?.stdout;
      },
    },
  }));
  const result = await sandbox.exec("js-exec -c 'console.log(await tools.run({}))'", { timeoutMs: 20_000 });
  expect(result.stdout).toBe("third\n\n");
  const started = events.filter((event) => event.type === "harness.runtime.command.started");
  expect(started.map(({ nested }) => nested)).toEqual([false, true, true]);
});

test("events tell the inner command as nested, inside the tool call, inside the outer command", async () => {
  const { sandbox, events } = await openNested((own) => ({
    run: { execute: async () => void (await own().exec("echo x > /w/inner")) },
  }));
  await sandbox.exec("js-exec -c 'await tools.run({})'; echo y > /w/outer", { timeoutMs: 20_000 });
  expect(
    events.map((event) => [event.type, "nested" in event ? event.nested : "path" in event ? event.path : ""]),
  ).toEqual([
    ["harness.runtime.command.started", false],
    ["harness.tool_call.started", ""],
    ["harness.runtime.command.started", true],
    ["harness.runtime.command.completed", ""],
    ["harness.file.created", "/w/inner"],
    ["harness.tool_call.completed", ""],
    ["harness.runtime.command.completed", ""],
    ["harness.file.created", "/w/outer"],
  ]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const commands = events.filter(({ type }) => type === "harness.runtime.command.started");
  expect(new Set(commands.map(({ occurrenceId }) => occurrenceId)).size).toBe(2);
});

test("parallel calls queue in the order in which they were made", async () => {
  const { sandbox, events } = await openForTest();
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, n) => sandbox.exec(`log="$log"${n}; echo $log`)),
  );
  expect(results.map(({ stdout }) => stdout.trim())).toEqual(
    Array.from({ length: 10 }, (_, n) => "0123456789".slice(0, n + 1)),
  );
  const order = events.map(({ type }) => type.replace("harness.runtime.command.", ""));
  expect(order).toEqual(Array.from({ length: 10 }, () => ["started", "completed"]).flat());
});

test("a call that is aborted while it queues never runs, and those behind it keep their places", async () => {
  const { sandbox } = await openForTest();
  const abort = new AbortController();
  const first = sandbox.exec("echo started; sleep 600", { onStdout: () => abort.abort(), timeoutMs: 2_000 });
  const second = sandbox.exec("touch /w/ran", { signal: abort.signal });
  const third = sandbox.exec("ls /w; echo third");
  expect(await second).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "abort" } });
  expect(await first).toMatchObject({ exitCode: 124 });
  expect(await third).toMatchObject({ stdout: "third\n" });
});

test("an inner command that runs into its deadline says so, and nobody waits for ever", async () => {
  let inner: Promise<ExecResult> | undefined;
  const { sandbox } = await openNested((own) => ({
    run: {
      execute() {
        inner = own().exec("echo begun; while true; do :; done", { timeoutMs: 3_000 });
        return inner;
      },
    },
  }));
  await sandbox.exec("x=kept");
  const outer = await sandbox.exec("echo before; js-exec -c 'await tools.run({})'", { timeoutMs: 25_000 });
  expect(await inner).toMatchObject({
    exitCode: 124,
    stdout: "begun\n",
    ending: { kind: "killed", by: "deadline" },
  });
  // Both run in one worker, and only a kill ends a busy loop: the outer command is told the truth about that.
  expect(outer).toMatchObject({
    stdout: "before\n",
    ending: { kind: "unknown", why: expect.stringContaining("killed for another command") },
  });
  expect(await sandbox.exec("echo $x")).toMatchObject({ stdout: "kept\n", stateRestored: true });
});

test("an outer command that runs into its deadline ends its inner ones too", async () => {
  let inner: Promise<ExecResult> | undefined;
  const { sandbox } = await openNested((own) => ({
    run: {
      execute() {
        inner = own().exec("while true; do :; done");
        return inner;
      },
    },
  }));
  const outer = await sandbox.exec("js-exec -c 'await tools.run({})'", { timeoutMs: 1_500 });
  expect(outer).toMatchObject({ exitCode: 124, ending: { kind: "killed", by: "deadline" } });
  expect((await inner)?.ending.kind).not.toBe("exited");
  expect(await sandbox.exec("echo next")).toMatchObject({ stdout: "next\n" });
});
