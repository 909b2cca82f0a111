/** `little-harness shell`, built: from a pipe, and at a real terminal where there is one. */
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";
import { NO_TERMINAL, TerminalRun } from "../helpers/terminal.ts";
import { runCli, startCli } from "./run-cli.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
/** Without a worker, where it makes no difference. */
const IN_PROCESS = ["--sandbox", "just-bash"];

describe("lines from a pipe", () => {
  async function pipe(cwd: string, stdin: string, ...args: string[]) {
    const { code, stdout, stderr } = await runCli(["shell", ...args], { cwd, stdin });
    return { code, stdout: stdout.toString(), stderr };
  }

  test("directory, variables and functions last, unfinished lines are joined, the last status is the exit code", async () => {
    const lines = [
      "mkdir -p sub; cd sub; x=1; f() { echo f $x; }",
      "pwd",
      "for i in a b",
      "do echo $i",
      "done; f; cat <<E",
      "\u2028 in $x",
      "E",
      "echo $A; (exit 3)",
      "echo $?; (exit 4)",
    ];
    expect(await pipe(tempDir(), lines.join("\n"), "-m", "/w=.", "-e", "A=b c'd")).toEqual({
      code: 4,
      stdout: "/w/sub\na\nb\nf 1\n\u2028 in 1\nb c'd\n3\n",
      stderr: "",
    });
  });

  test("bytes go to a pipe as they are, and exit on a line of its own leaves with its status", async () => {
    const { code, stdout } = await runCli(["shell", "-m", "/w=."], {
      cwd: tempDir(),
      stdin: "printf '\\033]0;x\\007\\233\\377'\nexit 7\necho b\n",
    });
    expect(stdout.equals(Buffer.from("\u001b]0;x\u0007\u009b\u00ff", "latin1"))).toBe(true);
    expect(code).toBe(7);
  });

  test("a time limit ends one line, and the next one is read", async () => {
    const stdin = "while :; do :; done\nexit\n";
    const { code, stdout, stderr } = await pipe(tempDir(), stdin, "-m", "/w=.", "--timeout", "500ms");
    expect({ code, stdout }).toEqual({ code: 124, stdout: "" });
    expect(stderr).toMatch(/^little-harness: killed by deadline after \d+ ms\n$/);
  });

  test("a session keeps its files, its turn is completed, and events tell only what was typed", async () => {
    const cwd = tempDir();
    await pipe(cwd, "echo one > kept\n", "--session", "s1", "--data-dir", "d");
    const { code, stdout, stderr } = await pipe(
      cwd,
      "cat kept\n",
      "--session",
      "s1",
      "--data-dir",
      "d",
      "--events",
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "one\n" });
    const events = stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq, type, command }) => [seq, type, command])).toEqual([
      [1, "harness.turn.started", undefined],
      [2, "harness.runtime.command.started", "cat kept"],
      [3, "harness.runtime.command.completed", undefined],
      [4, "harness.turn.completed", undefined],
    ]);
    const turns = join(cwd, "d/sessions/s1/turns");
    const records = readdirSync(turns).map((name) =>
      JSON.parse(readFileSync(join(turns, name, "turn.json"), "utf8")),
    );
    expect(records.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(existsSync(join(cwd, "d/sessions/s1/turn.lock"))).toBe(false);
  });

  test("a session in which somebody works is refused, and what is wrong is said", async () => {
    const cwd = tempDir();
    const first = startCli(["shell", "--session", "s1"], { cwd });
    first.stdin?.write("echo ready\n");
    await once(first.stdout ?? first, "data");
    const { code, stderr } = await pipe(cwd, "echo no\n", "--session", "s1");
    expect(code).toBe(125);
    expect(stderr).toMatch(/^little-harness: Process \d+ has had a turn in the session "s1"/);
    const closed = once(first, "close");
    first.kill("SIGTERM");
    expect((await closed)[0]).toBe(143);
    expect(existsSync(join(cwd, ".little-harness/sessions/s1/turn.lock"))).toBe(false);
  });

  test("Ctrl-C ends the shell with its command", async () => {
    const child = startCli(["shell", "-m", "/w=."], { cwd: tempDir() });
    child.stdin?.write("echo busy; while :; do :; done\necho no\n");
    await once(child.stdout ?? child, "data");
    const closed = once(child, "close");
    child.kill("SIGINT");
    expect((await closed)[0]).toBe(130);
  });
});

describe.skipIf(NO_TERMINAL !== undefined)(
  `at a terminal${NO_TERMINAL ? ` (skipped: ${NO_TERMINAL})` : ""}`,
  () => {
    test("the prompt shows directory, status and changes; Ctrl-C ends the command and not the shell; exit leaves", async () => {
      const cwd = tempDir();
      const run = new TerminalRun(["shell", "--session", "s1"], cwd);
      await run.sees("session s1 in ");
      await run.sees("/session $ ");
      run.types("mkdir d; cd d; echo hi > a; printf 'no end'; x=7\r");
      await run.sees("  + /session/d/\r\n  + a\r\n");
      await run.sees("/session/d $ ");
      run.types(" echo secret; (exit 3)\r");
      await run.sees("[3] /session/d $ ");
      run.types("echo be''gun; while :; do :; done\r");
      await run.sees("begun\r\n");
      run.types(CTRL_C);
      await run.sees("[130] /session/d $ ");
      run.types("echo left-over");
      await run.sees("left-over");
      run.types(CTRL_C);
      await run.sees("^C");
      await run.sees("[130] /session/d $ ");
      run.types('echo "$x\r');
      await run.sees("> ");
      run.types('$PWD"\r');
      await run.sees("\n7\r\n/session/d\r\n");
      await run.sees("/session/d $ ");
      run.types("exit 9\r");
      expect(await run.ends()).toBe(9);
      expect(run.screen).toContain("\nno end\n  + ");
      const history = join(cwd, ".little-harness/shell-history");
      expect(statSync(history).mode & 0o777).toBe(0o600);
      expect(readFileSync(history, "utf8").split("\n")).toEqual([
        "mkdir d; cd d; echo hi > a; printf 'no end'; x=7",
        "echo be''gun; while :; do :; done",
        'echo "$x',
        '$PWD"',
        "exit 9",
        "",
      ]);
    });

    test("Tab completes from the sandbox's files, the arrow brings back what was typed in a shell before", async () => {
      const cwd = tempDir();
      mkdirSync(join(cwd, ".little-harness"));
      const history = join(cwd, ".little-harness/shell-history");
      writeFileSync(history, "echo older\necho ol''d\n");
      chmodSync(history, 0o600);
      const run = new TerminalRun(["shell", ...IN_PROCESS], cwd);
      await run.sees("/session $ ");
      run.types("\u001b[A\r");
      await run.sees("\nold\r\n");
      await run.sees("/session $ ");
      run.types("mkdir 'two words'; echo ok > 'two words/file'\r");
      await run.sees("/session $ ");
      run.types("cat tw\t");
      await run.sees("two\\ words/");
      run.types("f\t");
      await run.sees("file ");
      run.types("\r");
      await run.sees("\nok\r\n");
      await run.sees("/session $ ");
      run.types(CTRL_D);
      expect(await run.ends()).toBe(0);
    });

    test("what a script prints is no order to the terminal unless --raw is given, nor is the name of a directory", async () => {
      const script = "mkdir $'e\\e[2Jx'; cd e*; printf '\\033]0;ti''tle\\007\\033[31mred\\n'\r";
      const run = new TerminalRun(["shell", "-m", "/w=."], tempDir());
      await run.sees("/w $ ");
      run.types(script);
      await run.sees("^[]0;title^G\u001b[31mred\r\n\u001b[0m");
      await run.sees("  + /w/e\\x1b[2Jx/");
      await run.sees("/w/e\\x1b[2Jx $ ");
      run.types(CTRL_D);
      await run.ends();
      const raw = new TerminalRun(["shell", "--raw", "-m", "/w=.", ...IN_PROCESS], tempDir());
      await raw.sees("/w $ ");
      raw.types(script);
      await raw.sees("\u001b]0;title\u0007\u001b[31mred\r\n");
      await raw.sees(" $ ");
      raw.types(CTRL_D);
      await raw.ends();
    });
  },
);
