/** What goes wrong, and must not reach the host: hostile scripts, and environments that break. */
import type { SandboxFaults } from "../sandbox-options.ts";
import type { Opened, SandboxCase, Stage } from "../stage.ts";
import { execInTime } from "./endings.ts";

/** Neither a made-up success nor the script's own end. */
function expectNotExited({ check }: Stage, result: Awaited<ReturnType<Opened["exec"]>>): void {
  const { ending, exitCode } = result;
  check.that(
    ending.kind !== "exited" && exitCode !== 0,
    "the result",
    { ending, exitCode },
    'an ending that is not "exited", and a code that is not 0',
  );
}

/** The next command works, and tells whether it found the `A=kept` of the last one. */
async function expectStateAsTold({ check }: Stage, exec: Opened["exec"]): Promise<void> {
  const next = await exec('echo "${A-lost}"');
  check.equal("the next command's ending", next.ending, { kind: "exited" });
  check.equal(
    "its stateRestored, beside what is left of the state",
    [next.stateRestored, next.stdout],
    [next.stdout === "kept\n", next.stdout],
  );
}

/** A fault in the middle of the adapter, by a hook: the command tells of it, the next one works. */
function midwayCase(fault: "failNextExecute" | "garbleNextResult", name: string): SandboxCase {
  return {
    name,
    needs: ["scripts", fault],
    async run(stage) {
      const { exec, events, sandbox } = await stage.open();
      await exec("true");
      await stage.options.faults[fault]?.(sandbox);
      expectNotExited(stage, await exec("echo made-up", { timeoutMs: 5_000 }));
      stage.check.equal("the last event", events.at(-1)?.type, "harness.runtime.command.failed");
      stage.check.matches("the next command", await exec("echo next"), { stdout: "next\n", exitCode: 0 });
    },
  };
}

function disposeCase(
  fault: keyof Pick<SandboxFaults, "failDispose" | "hangDispose">,
  what: string,
): SandboxCase {
  return {
    name: `a release that ${what} is told as harness.runtime.dispose.failed; dispose still resolves`,
    needs: [fault],
    async run({ open, check, options }) {
      const { exec, events, sandbox } = await open();
      await exec("true");
      await options.faults[fault]?.(sandbox);
      await check.resolves("dispose", () => sandbox.dispose());
      const told = events.filter(({ type }) => type === "harness.runtime.dispose.failed");
      check.equal("events that tell of it", told.length, 1);
    },
  };
}

export const faultCases: readonly SandboxCase[] = [
  {
    name: "a flood of output ends with its command, and no more is kept than was asked for",
    needs: ["scripts", "outputCaps"],
    async run(stage) {
      const opened = await stage.open();
      const script = 'line=$(printf "%01000d" 7); while :; do echo "$line"; echo "$line" >&2; done';
      const result = await execInTime(stage, opened, script, { timeoutMs: 700, maxOutputBytes: 10_000 });
      expectNotExited(stage, result);
      for (const bytes of [result.stdoutBytes, result.stderrBytes])
        stage.check.that(
          bytes.byteLength <= 10_200,
          "bytes kept",
          bytes.byteLength,
          "10000 and a notice at most",
        );
      stage.check.that(
        result.truncated.stdout !== undefined,
        "truncated.stdout",
        result.truncated,
        "a count",
      );
      stage.check.matches("the next command", await opened.exec("echo next"), { stdout: "next\n" });
    },
  },
  {
    name: "a script that ignores signals meets its deadline all the same",
    needs: ["scripts"],
    async run(stage) {
      const script = "trap '' TERM INT HUP; while :; do :; done";
      const result = await execInTime(stage, await stage.open(), script, { timeoutMs: 500 });
      stage.check.equal("its ending", result.ending, { kind: "killed", by: "deadline" });
    },
  },
  {
    name: "a job in the background that spins does not outlive the deadline",
    needs: ["scripts"],
    async run(stage) {
      const opened = await stage.open();
      const result = await execInTime(stage, opened, "while :; do :; done & wait", { timeoutMs: 500 });
      expectNotExited(stage, result);
      stage.check.matches("the next command", await opened.exec("echo next"), { stdout: "next\n" });
    },
  },
  {
    name: "a job in the background that sleeps does not hold its command past the deadline",
    needs: ["scripts"],
    async run(stage) {
      const script = "sleep 20 & echo started";
      const result = await execInTime(stage, await stage.open(), script, { timeoutMs: 1_000 });
      stage.check.equal("stdout", result.stdout, "started\n");
    },
  },
  {
    name: "an abort, a deadline and dispose at the same time give one ending",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec, events, sandbox } = await open();
      await exec("true");
      const abort = new AbortController();
      const running = exec("while :; do :; done", { timeoutMs: 300, signal: abort.signal });
      setTimeout(() => {
        abort.abort();
        void sandbox.dispose();
      }, 300);
      const { ending } = await running;
      check.equal("the kind of its ending", ending.kind, "killed");
      await sandbox.dispose();
      const ends = events.filter(({ type }) => /command\.(?:completed|failed)$/.test(type));
      check.equal("ends told", ends.length, 2);
    },
  },
  {
    name: "a worker that dies under a command gives an ending that says so, and the next command works",
    needs: ["scripts", "killWorker"],
    async run(stage) {
      const { exec, sandbox } = await stage.open();
      await exec("A=kept");
      let heard: () => void = () => undefined;
      const started = new Promise<void>((resolve) => {
        heard = resolve;
      });
      const running = exec("echo started; sleep 20", { onStdout: () => heard(), timeoutMs: 10_000 });
      await Promise.race([started, running]);
      await stage.options.faults.killWorker?.(sandbox);
      expectNotExited(stage, await running);
      await expectStateAsTold(stage, exec);
    },
  },
  {
    name: "a worker that dies between commands is replaced before the next one",
    needs: ["scripts", "killWorker"],
    async run(stage) {
      const { exec, sandbox } = await stage.open();
      await exec("A=kept");
      await stage.options.faults.killWorker?.(sandbox);
      await expectStateAsTold(stage, exec);
    },
  },
  {
    name: "fs works when the worker has died",
    needs: ["scripts", "killWorker"],
    async run({ open, check, options }) {
      const { exec, sandbox } = await open();
      await exec("echo 1 > a");
      await options.faults.killWorker?.(sandbox);
      check.equal("fs.readFile", await check.resolves("fs.readFile", () => sandbox.fs.readFile("a")), "1\n");
    },
  },
  {
    name: "a sandbox whose worker has died can be disposed of",
    needs: ["scripts", "killWorker"],
    async run({ open, check, options }) {
      const { exec, sandbox } = await open();
      await exec("true");
      await options.faults.killWorker?.(sandbox);
      await check.resolves("dispose", () => sandbox.dispose());
    },
  },
  midwayCase(
    "failNextExecute",
    "an adapter that fails within a command gives a result, and the next command works",
  ),
  midwayCase("garbleNextResult", "an answer that is no report is no success, and the next command works"),
  disposeCase("failDispose", "fails"),
  disposeCase("hangDispose", "never ends"),
];
