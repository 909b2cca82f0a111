/**
 * Each command of the engine lies in a file of its own that is loaded when a script first calls it: inside a worker
 * whose defense-in-depth is on by then. On the packed package, so that a file that was left out shows.
 */
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PackedPackage, packPackage } from "../helpers/packed-package.ts";

let packed: PackedPackage;
beforeAll(() => {
  packed = packPackage();
}, 60_000);
afterAll(() => packed?.remove());

/**
 * Says what it is when it is not asked to do anything, and does not know `--help`. `killall` and `xxd` print their
 * usage for it and fail, as PSmisc and vim have it.
 */
const CALLS: Readonly<Record<string, string>> = {
  "[": "[ 1 = 1 ]",
  clear: "clear",
  echo: "echo text",
  expr: "expr 1 + 1",
  false: "! false",
  help: "help cd",
  killall: "! killall --help",
  mkdir: "mkdir /tmp/made",
  node: "! node",
  rm: "rm -f /tmp/nothing",
  seq: "seq 3",
  tac: "tac",
  time: "time true",
  touch: "touch /tmp/touched",
  test: "test 1 = 1",
  true: "true",
  xxd: "! xxd --help",
};

interface Outcome {
  name: string;
  exitCode: number;
  output: string;
}

test("every command of the engine loads and answers, with defense-in-depth on", () => {
  const program = `
    import { openSandbox } from "@little-stack/harness";
    const calls = JSON.parse(process.argv[1]);
    const sandbox = await openSandbox({
      mounts: { "/w": "." },
      sandbox: "subprocess",
      network: { allowOnlyUrlPrefixes: ["http://127.0.0.1:9/"] },
    });
    const { defense } = await sandbox.isolation();
    const { stdout } = await sandbox.exec("ls /bin /usr/bin");
    const names = [...new Set(stdout.split("\\n").filter((line) => line !== "" && !line.startsWith("/")))];
    const outcomes = [];
    for (const name of names) {
      const result = await sandbox.exec((calls[name] ?? name + " --help") + " </dev/null 2>&1");
      outcomes.push({ name, exitCode: result.exitCode, output: result.stdout });
    }
    await sandbox.dispose();
    console.log(JSON.stringify({ defense, outcomes }));`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", program, JSON.stringify(CALLS)],
    { cwd: packed.project, encoding: "utf8", env: {} },
  );
  expect(stderr).toBe("");
  const { defense, outcomes } = JSON.parse(stdout) as { defense: string; outcomes: Outcome[] };
  expect(["full", "best-effort"]).toContain(defense);
  const names = outcomes.map(({ name }) => name);
  // What the engine lists as its own; the five languages are among it.
  expect(names.length).toBeGreaterThan(75);
  expect(names).toEqual(
    expect.arrayContaining(["bash", "js-exec", "python3", "sqlite3", "jq", "xan", "tar"]),
  );
  const failed = outcomes.filter(
    ({ exitCode, output }) =>
      exitCode !== 0 ||
      /Cannot find (?:module|package)|ERR_|command not found|blocked|access denied/i.test(output),
  );
  expect(failed).toEqual([]);
}, 120_000);
