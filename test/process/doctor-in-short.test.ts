/** `little-harness doctor` on this machine as it is; `doctor.test.ts` breaks things (`npm run test:slow`). */
import { expect, test } from "vitest";
import { runCli } from "./run-cli.ts";

test("one rung, started and probed: exit 0, and nothing is broken", { timeout: 60_000 }, async () => {
  const { code, stdout } = await runCli(["doctor", "--json", "--isolation", "process"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout.toString())).toMatchObject({ format: "little-harness-doctor", broken: [] });
});

test("a wrong command line: exit 2", async () => {
  const { code, stderr } = await runCli(["doctor", "--isolation", "jail"]);
  expect(code).toBe(2);
  expect(stderr).toContain("--isolation");
});
