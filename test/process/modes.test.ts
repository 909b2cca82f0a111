/** Which sandbox is taken when none is named. */
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { workerPids } from "../helpers/processes.ts";

const bashAlone = { python: false, javascript: false };

test("auto spares the process for bash alone", async () => {
  const { sandbox } = await openForTest({ sandbox: "auto", runtime: bashAlone });
  expect(await sandbox.exec("echo here")).toMatchObject({ stdout: "here\n" });
  expect(workerPids()).toEqual([]);
  expect((await sandbox.isolation()).rung).toBe("none");
});

test.each([
  { isolation: "process" },
  { isolation: "hardened" },
  { nodePath: process.execPath },
  { execArgv: ["--max-semi-space-size=1"] },
  { env: { A: "1" } },
] as const)("auto takes a process where an option asks for what only a process has: %j", async (options) => {
  const { sandbox } = await openForTest({ sandbox: "auto", runtime: bashAlone, ...options });
  expect(await sandbox.exec("echo here")).toMatchObject({ stdout: "here\n" });
  expect(workerPids()).not.toEqual([]);
  expect((await sandbox.isolation()).rung).toBe("isolation" in options ? options.isolation : "process");
});

test("just-bash with an isolation is refused: nothing weaker is taken in its place", async () => {
  await expect(openForTest({ sandbox: "just-bash", isolation: "process" })).rejects.toMatchObject({
    code: "OPTION_INVALID",
    message: expect.stringContaining('"isolation"'),
  });
});
