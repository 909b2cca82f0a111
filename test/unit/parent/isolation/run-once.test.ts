import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runOnce } from "../../../../src/parent/isolation/run-once.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

function program(text: string): string {
  const file = join(tempDir(), "program");
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

test("a program that does not end is given up, also when what it started holds its output", async () => {
  const pidFile = join(tempDir(), "pid");
  // The one in the background outlives the question: with its end the pipe would close by itself.
  const file = program(`trap '' TERM; sleep 60 & echo $! > ${pidFile}; sleep 60`);
  onTestFinished(() => void process.kill(Number(readFileSync(pidFile, "latin1")), "SIGKILL"));
  expect(await runOnce(file, [], [], 1_000)).toMatchObject({
    ok: false,
    why: expect.stringContaining("timed out") as string,
  });
}, 10_000);

test("a program that fails is told by its last line", async () => {
  expect(await runOnce(program("echo one >&2; echo two >&2; exit 3"), [])).toEqual({
    ok: false,
    stdout: "",
    why: "two",
  });
});

test("a program that is not there is a failure and no exception", async () => {
  expect(await runOnce("/nowhere/program", [])).toMatchObject({
    ok: false,
    why: expect.stringContaining("ENOENT") as string,
  });
});
