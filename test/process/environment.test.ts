import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { workerPids } from "../helpers/processes.ts";

process.env.CANARY_SECRET = "canary-7f3a";

test("the worker process has an environment without a single byte", async () => {
  const { sandbox } = await openForTest();
  const before = new Set(workerPids());
  await sandbox.exec("true");
  const [pid] = workerPids().filter((candidate) => !before.has(candidate));
  expect(pid).toBeDefined();
  expect(readFileSync(`/proc/${pid}/environ`)).toHaveLength(0);
});

test("the worker itself sees no variable", async () => {
  const { sandbox } = await openForTest();
  const { walls } = await sandbox.isolation();
  expect(walls).toContainEqual({
    name: "environment of the worker",
    state: "holds",
    reason: "it has no variable of the host",
  });
});

test("scripts see the shell's own names and nothing of the host's environment", async () => {
  const { sandbox } = await openForTest();
  const names = await sandbox.exec("printenv | sed 's/=.*//' | sort");
  expect(names.stdout.trim().split("\n")).toEqual(["HOME", "LANG", "OLDPWD", "PATH", "PWD", "SHELL", "USER"]);
  const everything = await sandbox.exec(
    [
      "env; set; declare -p; awk 'BEGIN { for (k in ENVIRON) print k, ENVIRON[k] }'; jq -n -c env",
      'python3 -c "import os; print(dict(os.environ))"',
      'js-exec -c "console.log(JSON.stringify(process.env))"',
      "cat /proc/self/environ /proc/1/environ",
    ].join("\n"),
  );
  expect(everything.stdout).toContain("HOME");
  expect(everything.stdout + everything.stderr).not.toContain("canary-7f3a");
});

test("explicit additions reach the worker process but not the scripts", async () => {
  const { sandbox } = await openForTest({ env: { EXTRA: "canary-7f3a" } });
  const before = new Set(workerPids());
  const result = await sandbox.exec("printenv; set");
  const [pid] = workerPids().filter((candidate) => !before.has(candidate));
  expect(readFileSync(`/proc/${pid}/environ`, "latin1")).toBe("EXTRA=canary-7f3a\0");
  expect(result.stdout).not.toContain("canary-7f3a");
});
