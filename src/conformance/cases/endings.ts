/** How commands end, and that they say so. */
import type { ExecOptions, ExecResult } from "../../shared/sandbox.ts";
import type { Opened, SandboxCase, Stage } from "../stage.ts";

const SPIN = "while :; do :; done";

export const endingCases: readonly SandboxCase[] = [
  {
    name: "a command that ends by itself tells its own exit code",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      for (const code of [0, 1, 3, 255]) {
        const result = await exec(`exit ${code}`);
        check.matches(`the result of "exit ${code}"`, result, {
          exitCode: code,
          ending: { kind: "exited" },
        });
      }
      check.matches('the result of "true; false"', await exec("true; false"), { exitCode: 1 });
    },
  },
  {
    name: "a result has every field of ExecResult",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      const result = await exec("echo out; echo err >&2");
      const { durationMs, stdoutBytes, stderrBytes, ...rest } = result;
      check.that(durationMs >= 0, "durationMs", durationMs, "milliseconds, 0 or more");
      for (const [name, bytes] of Object.entries({ stdoutBytes, stderrBytes }))
        check.that(bytes instanceof Uint8Array, name, bytes, "a Uint8Array");
      check.matches("the other fields", rest, {
        exitCode: 0,
        stdout: "out\n",
        stderr: "err\n",
        ending: { kind: "exited" },
        truncated: {},
        changes: [],
        stateRestored: true,
      });
    },
  },
  {
    name: "a command that does not exist ends with 127, and the script goes on",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      const result = await exec("no-such-command-here; echo $?");
      check.matches("the result", result, { stdout: "127\n", exitCode: 0 });
      check.that(result.stderr.includes("no-such-command-here"), "stderr", result.stderr, "the name in it");
    },
  },
  {
    name: "a script that does not parse is a result with a message, and the next command runs",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      const result = await exec("if then ) fi");
      check.equal("its ending", result.ending, { kind: "exited" });
      check.that(result.exitCode !== 0, "its exit code", result.exitCode, "a code that is not 0");
      check.that(result.stderr !== "", "stderr", result.stderr, "a message");
      check.matches("the next command", await exec("echo next"), { stdout: "next\n", exitCode: 0 });
    },
  },
  ...["a busy loop", "a sleep"].map(
    (what): SandboxCase => ({
      name: `a deadline ends ${what} in time with 124, and the ending says so`,
      needs: ["scripts"],
      async run(stage) {
        const script = what === "a sleep" ? "sleep 30" : SPIN;
        const result = await execInTime(stage, await stage.open(), script, { timeoutMs: 400 });
        stage.check.matches("the result", result, {
          exitCode: 124,
          ending: { kind: "killed", by: "deadline" },
        });
      },
    }),
  ),
  {
    name: "an abort ends a command in time with 137, and the ending says so",
    needs: ["scripts"],
    async run(stage) {
      const abort = new AbortController();
      const { exec } = await stage.open();
      await exec("true");
      let elapsed = startClock();
      setTimeout(() => {
        elapsed = startClock();
        abort.abort();
      }, 100);
      const result = await exec("sleep 30", { signal: abort.signal });
      expectInTime(stage, elapsed(), 0);
      stage.check.matches("the result", result, { exitCode: 137, ending: { kind: "killed", by: "abort" } });
    },
  },
  {
    name: "a signal that is aborted before the call keeps the command from running",
    needs: ["scripts"],
    async run({ open, check, read }) {
      const { exec } = await open();
      const result = await exec("echo ran > ran", { signal: AbortSignal.abort() });
      check.matches("the result", result, { exitCode: 137, ending: { kind: "killed", by: "abort" } });
      check.equal("the file that the script would have written", await read("session", "ran"), null);
    },
  },
  {
    name: "what a killed command wrote before is in its result",
    needs: ["scripts", "streaming"],
    async run({ open, check }) {
      const abort = new AbortController();
      const { exec } = await open();
      const result = await exec("echo before; echo aside >&2; sleep 30", {
        signal: abort.signal,
        timeoutMs: 15_000,
        onStderr: () => abort.abort(),
      });
      check.matches("the result", result, { stdout: "before\n", stderr: "aside\n" });
    },
  },
  {
    name: "after a kill the next command works, with the state of the last command that ended well",
    needs: ["scripts", "state"],
    async run({ open, check, inside }) {
      const { exec } = await open();
      await exec("mkdir sub; cd sub; X=kept");
      await exec(`cd /; X=lost; ${SPIN}`, { timeoutMs: 400 });
      const result = await exec('echo "$X $PWD"');
      check.matches("the next result", result, {
        stdout: `kept ${inside("session", "sub")}\n`,
        exitCode: 0,
        stateRestored: true,
      });
    },
  },
  {
    name: "bad options of exec are results that name the option, never rejections",
    needs: [],
    async run({ open, check }) {
      const { exec } = await open();
      const bad: Record<string, unknown>[] = [
        { timeoutMs: -1 },
        { maxOutputBytes: 0.5 },
        { cwd: 5 },
        { env: { A: 1 } },
        { args: "a b" },
        { stdin: 7 },
        { signal: {} },
        { timeoutMS: 5 },
      ];
      for (const options of bad) {
        const result = await exec("echo never", options);
        const [name = ""] = Object.keys(options);
        check.matches(`the result with ${JSON.stringify(options)}`, result, {
          exitCode: 126,
          ending: { kind: "refused", by: "policy" },
          stdout: "",
        });
        check.that(result.stderr.includes(name), "stderr", result.stderr, `a message that names "${name}"`);
      }
      const result = await exec(undefined as unknown as string);
      check.matches("the result of a command that is no text", result, { exitCode: 126 });
    },
  },
];

/** Milliseconds since the call. */
export function startClock(): () => number {
  const startedMs = performance.now();
  return () => performance.now() - startedMs;
}

/** Runs a command that must have ended, of itself or not, by its deadline. */
export async function execInTime(
  stage: Stage,
  { exec }: Opened,
  script: string,
  options: ExecOptions & { readonly timeoutMs: number },
): Promise<ExecResult> {
  // Opened and warm: the deadline is the command's, not that of a start.
  await exec("true");
  const elapsed = startClock();
  const result = await exec(script, options);
  expectInTime(stage, elapsed(), options.timeoutMs);
  return result;
}

export function expectInTime({ check, options }: Stage, elapsedMs: number, timeoutMs: number): void {
  const latestMs = timeoutMs + options.lateMs;
  check.that(
    elapsedMs <= latestMs,
    "milliseconds until it ended",
    Math.round(elapsedMs),
    `${latestMs} at most`,
  );
}
