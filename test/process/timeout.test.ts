import { describe, expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";

describe.each(["subprocess", "just-bash"] as const)("timeout in %s", (sandboxKind) => {
  const open = async () => (await openForTest({ sandbox: sandboxKind })).sandbox;

  test("ends whatever runs with 124, and the script goes on", async () => {
    const sandbox = await open();
    for (const command of [
      "sleep 600",
      "sleep infinity",
      "bash -c 'while :; do :; done'",
      "bash -c 'i=0; while ((1)); do ((i++)); done'",
      "js-exec -c 'for (;;) {}'",
      // Settles too late.
      "js-exec -c 'await new Promise((done) => setTimeout(done, 60_000))'",
      "python3 -c 'while True: pass'",
    ]) {
      const result = await sandbox.exec(`x=$1; timeout 0.3 ${command}; echo "$? $x"`, {
        args: [command],
        timeoutMs: 20_000,
      });
      expect(result).toMatchObject({
        stdout: `124 ${command}\n`,
        stderr: "",
        exitCode: 0,
        ending: { kind: "exited" },
      });
      expect(await sandbox.exec('echo "$x"')).toMatchObject({ stdout: `${command}\n`, stateRestored: true });
    }
  });

  test("inside another one each ends by its own time", async () => {
    const sandbox = await open();
    const loop = "bash -c 'while :; do :; done'";
    const result = await sandbox.exec(
      `timeout 0.2 timeout 60 ${loop}; echo $?; timeout 60 timeout 0.2 ${loop}; echo $?; timeout 60 echo on`,
    );
    expect(result).toMatchObject({ stdout: "124\n124\non\n", exitCode: 0 });
  });

  test("gives the command its input, arguments and status", async () => {
    const sandbox = await open();
    const result = await sandbox.exec(
      `printf 'a b' | timeout 9 cat; timeout 9 printf '[%s]' "c d" '$e' "f'g"; timeout 9 bash -c 'exit 7'; echo $?`,
    );
    expect(result).toMatchObject({ stdout: "a b[c d][$e][f'g]7\n", stderr: "" });
  });

  test("takes the options and durations of coreutils", async () => {
    const sandbox = await open();
    const status = async (args: string) => (await sandbox.exec(`timeout ${args}`)).exitCode;
    expect(await status("-s KILL 0.01 sleep 9")).toBe(137);
    expect(await status("--signal=9 .01s sleep 9")).toBe(137);
    expect(await status("--preserve-status -s INT 0.01 sleep 9")).toBe(130);
    expect(await status("-k 5 --foreground -v 0.01 sleep 9")).toBe(124);
    expect(await status("--kill-after 5 -- 0.0001h sleep 9")).toBe(124);
    expect(await status("0 true")).toBe(0);
    expect(await status("infinity false")).toBe(1);
    expect(await status("1d no-such-command")).toBe(127);
    for (const wrong of ["", "5", "nope true", "-z 5 true", "-s NOPE 5 true", "-k nope 5 true"]) {
      expect(await status(wrong), wrong).toBe(125);
    }
  });
});
