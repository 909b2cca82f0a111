/** Names that end a script which reaches them, in a child and in this process: the same, whatever stands around. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type CreateSandboxOptions,
  type HarnessEvent,
  type HarnessSandbox,
  justBashSandbox,
  subprocessSandbox,
} from "../../src/index.ts";

const factories = { subprocess: subprocessSandbox(), "just-bash": justBashSandbox() };

interface Opened extends AsyncDisposable {
  readonly sandbox: HarnessSandbox;
  readonly events: HarnessEvent[];
  readonly directory: string;
}

async function open(
  kind: keyof typeof factories,
  options: Partial<CreateSandboxOptions> = {},
): Promise<Opened> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "trip-wires-")));
  const events: HarnessEvent[] = [];
  const sandbox = await factories[kind]({
    workspace: {
      mounts: [{ path: "/w", backingPath: directory, access: "rw", tracked: true }],
      cwd: "/w",
      capabilities: { python: false, javascript: true },
    },
    tripWires: ["git", "g++"],
    emit: (event) => events.push(event),
    ...options,
  });
  const dispose = async () => {
    await sandbox.dispose();
    rmSync(directory, { recursive: true });
  };
  return { sandbox, events, directory, [Symbol.asyncDispose]: dispose };
}

function refusal(line = 1, name = "git"): string {
  return `little-harness: ${name} (line ${line}) is not in this tier: the script ended there, and what it did before stays; send the rest as a new command\n`;
}

/** Script, what it prints, and the line that is named. `git` is never where a parser would see it. */
const caught: [string, string, string, number?][] = [
  ["a variable", 'echo a; x=git; "$x" log; echo b', "a\n"],
  ["a later line", "x=git\n\n$x log", "", 3],
  ["a substitution", "x=git; echo $(echo in; $x log)$(touch after) z", ""],
  ["a substitution of a function", "x=git; f() { echo a; $x log; }; y=$(f); touch after", ""],
  ["a pipe", "x=git; $x log | tee after; touch after", ""],
  ["the end of a pipe", "x=git; echo a | $x apply; touch after", ""],
  ["a subshell", "x=git; ( echo a; $x log ); touch after", "a\n"],
  ["a function", "x=git; f() { echo a; $x log; echo b; }; f; touch after", "a\n"],
  ["a condition", "x=git; if ! $x log; then touch after; fi", ""],
  ["what follows a failure", "set +e; x=git; $x log || touch after; $x log && touch after", ""],
  ["a nested shell", 'x="git log"; bash -c "echo a; $x" || touch after', ""],
  ["the stdin of a shell", 'x=git; sh <<< "$x log"; touch after', ""],
  ["eval", 'eval "g""it log" || touch after', ""],
  ["xargs", "x=git; echo 1 2 | xargs -n 1 $x; touch after", ""],
  ["find, with more to do", "x=git; find . -name base \\( -exec $x add {} \\; -o -delete \\)", ""],
  ["env", "x=git; env A=1 $x log; touch after", ""],
  ["timeout", "x=git; timeout 5 $x log; touch after", ""],
  ["nohup", "x=git; nohup $x log; touch after", ""],
  ["awk", "x=git; awk -v c=$x 'BEGIN { system(c) }'; touch after", ""],
  ["exec", "x=git; exec $x log", ""],
  ["command", "x=git; command $x log; touch after", ""],
  ["a path to where programs lie", "x=/usr/bin/git; $x log; touch after", ""],
  ["a background job", "x=git; { $x log; } & sleep 5; touch after", ""],
  ["beside a background job", "x=git; sleep 0.2 && touch after & $x log", ""],
  ["a trap for the end", 'trap "touch after" EXIT; x=git; $x log', ""],
  ["a script file", 'x=git; echo "$x log" > s.sh; . ./s.sh; touch after', ""],
  ["process substitution", "x=git; cat <($x log); touch after", ""],
  ["another name", "x=g++; $x a.cc; touch after", ""],
];

/** Script and what it prints: `git` is asked for or shadowed, and nothing is refused. */
const passed: [string, string, string][] = [
  ["command -v", "command -v git || echo none", "none\n"],
  ["which", "which git || echo none", "none\n"],
  ["type", "type git 2>/dev/null || echo none", "none\n"],
  ["a function", "x=git; git() { echo mine $1; }; $x log; unset -f git", "mine log\n"],
  ["an alias", "alias git='echo mine'\ngit log\nunalias git", "mine log\n"],
  ["a file on PATH", "x=git; PATH=/w/bin:$PATH; $x log; env $x log; PATH=/usr/bin:/bin", "file\nfile\n"],
  ["a name that nobody planted", "nosuch 2>/dev/null; echo $?", "127\n"],
];

const KINDS = ["subprocess", "just-bash"] as const;

describe("in a child and in this process alike, a name", () => {
  // One sandbox each for all scripts: one that was ended leaves a good sandbox behind.
  let both: readonly Opened[];
  beforeAll(async () => {
    both = await Promise.all(KINDS.map((kind) => open(kind)));
    for (const { directory, sandbox } of both) {
      mkdirSync(join(directory, "bin"));
      writeFileSync(join(directory, "base"), "");
      writeFileSync(join(directory, "bin/git"), "echo file");
      chmodSync(join(directory, "bin/git"), 0o755);
      await sandbox.exec("cd /w/bin; KEPT=kept");
    }
  });
  afterAll(() => Promise.all(both.map((opened) => opened[Symbol.asyncDispose]())));

  const run = (script: string) =>
    Promise.all(both.map(({ sandbox }) => sandbox.exec(script, { cwd: "/w", timeoutMs: 10_000 })));

  test.each(caught)("ends the script, reached in %s", async (what, script, stdout, line = 1) => {
    for (const result of await run(script)) {
      expect(result).toMatchObject({ exitCode: 126, stdout, ending: { kind: "refused", by: "tier" } });
      expect(result.stderr).toBe(refusal(line, what === "another name" ? "g++" : "git"));
      expect(result.changes.filter(({ path }) => path !== "/w/s.sh")).toEqual([]);
    }
  });

  test.each(passed)("ends nothing by %s", async (_, script, stdout) => {
    for (const result of await run(script))
      expect(result).toMatchObject({ stdout, ending: { kind: "exited" } });
  });

  test("leaves a good sandbox behind, and nothing was done of what stood after it", async () => {
    for (const { sandbox } of both) {
      const { stdout } = await sandbox.exec('rm -f /w/s.sh; ls /w; echo "$KEPT $PWD"');
      expect(stdout).toBe("base\nbin\nkept /w/bin\n");
    }
  });
});

for (const kind of KINDS) {
  describe(kind, () => {
    test("effects before it stay and are told; cwd and variables are those of the command before", async () => {
      await using own = await open(kind);
      await own.sandbox.exec("cd /tmp; KEPT=kept");
      const result = await own.sandbox.exec("KEPT=lost; cd /; echo 1 > /w/new; x=git; $x log; rm /w/new");
      expect(result).toMatchObject({
        exitCode: 126,
        stateRestored: true,
        changes: [{ change: "created", path: "/w/new" }],
      });
      expect(own.events.slice(-2)).toMatchObject([
        { type: "harness.runtime.command.failed", exitCode: 126, ending: { kind: "refused", by: "tier" } },
        { type: "harness.file.created", path: "/w/new" },
      ]);
      expect(await own.sandbox.exec('echo "$KEPT $PWD"')).toMatchObject({ stdout: "kept /tmp\n" });
    });

    test("reached by a tool, it ends the tool's script and not the one around", async () => {
      let nested: unknown;
      await using own = await open(kind, {
        toolContext: null,
        tools: {
          run: {
            description: "runs a script",
            execute: async () => {
              const { exitCode, ending } = await own.sandbox.exec("x=git; $x log");
              nested = { exitCode, ending };
              return exitCode;
            },
          },
        },
      });
      const result = await own.sandbox.exec("js-exec -c 'console.log(await tools.run())'; echo on");
      expect(nested).toEqual({ exitCode: 126, ending: { kind: "refused", by: "tier" } });
      expect(result).toMatchObject({ exitCode: 0, stdout: "126\non\n", ending: { kind: "exited" } });
    });

    test("reached by a program that node starts, it ends the script", async () => {
      await using own = await open(kind);
      const script = `node -e 'require("child_process").execSync("git log")'; echo on`;
      const ended = { exitCode: 126, stdout: "", stderr: refusal(), ending: { kind: "refused", by: "tier" } };
      expect(await own.sandbox.exec(script)).toMatchObject(ended);
    });

    test.each([["git"], [["a b"]], [["/bin/git"]], [[""]], [[1]]])("%j are no names", async (tripWires) => {
      await expect(open(kind, { tripWires: tripWires as string[] })).rejects.toMatchObject({
        code: "OPTION_INVALID",
        message: expect.stringContaining("tripWires"),
      });
    });
  });
}
