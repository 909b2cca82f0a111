/** The other slow reader: the host's own `onStdout`. */
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { failOnStrays } from "../helpers/strays.ts";

failOnStrays();

test("a slow onStdout puts the deadline off by the call that is under way, and not by all that was read with it", async () => {
  const { sandbox } = await openForTest();
  await sandbox.exec("true");
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const timeoutMs = 1_000;
  let calls = 0;
  let late = 0;
  const start = performance.now();
  const result = await sandbox.exec("while :; do echo x; done", {
    timeoutMs,
    onStdout: () => {
      calls++;
      // The command starts after this clock: what comes late by it and in time by the other are a few calls.
      if (performance.now() - start > timeoutMs) late++;
      Atomics.wait(cell, 0, 0, 20);
    },
  });
  expect(result).toMatchObject({ exitCode: 124, ending: { kind: "killed", by: "deadline" } });
  expect(result.stdout).toBe("x\n".repeat(calls));
  expect(calls).toBeGreaterThan(5);
  expect(late).toBeLessThan(10);
  expect(await sandbox.exec("echo next")).toMatchObject({ stdout: "next\n", exitCode: 0 });
});
