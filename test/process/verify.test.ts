/** `little-harness verify` as it is built: exit codes, text and JSON. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionLogReport } from "../../src/session-log/verify.ts";
import { fillFileLog } from "../helpers/session-logs.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { runCli } from "./run-cli.ts";

test("a whole log is told so, and its heads can be checked against it later", async () => {
  const path = join(tempDir(), "log.ndjson");
  await fillFileLog(path, 7);
  const text = await runCli(["verify", path]);
  expect(text).toMatchObject({ code: 0, stderr: "" });
  expect(text.stdout.toString()).toBe(`ok    ${path}: 7 events of 3 runs, every chain is whole\n`);
  const json = await runCli(["verify", "--json", path]);
  const report = JSON.parse(json.stdout.toString()) as SessionLogReport & { format: string };
  expect(report).toMatchObject({ format: "little-harness-verify", isWhole: true, events: 7, findings: [] });
  const args = report.heads.flatMap(({ runId, sequence, hash }) => [
    "--head",
    `${runId}=${sequence}:${hash}`,
  ]);
  expect((await runCli(["verify", ...args, path])).code).toBe(0);

  // Without its last line the log is as whole as before; who knows the head sees what is gone.
  const lines = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, `${lines.slice(0, -2).join("\n")}\n`);
  expect((await runCli(["verify", path])).code).toBe(0);
  const cut = await runCli(["verify", ...args, path]);
  expect(cut.code).toBe(1);
  expect(cut.stdout.toString()).toContain(
    "FAIL  run run-0, event 3: it is known, and not there: the run ends with 2",
  );
});

test("a change is told by line, run and event, and a file that is no log by its name", async () => {
  const directory = tempDir();
  const path = join(directory, "log.ndjson");
  await fillFileLog(path, 7);
  writeFileSync(path, readFileSync(path, "utf8").replace('"n":4', '"n":5'));
  const changed = await runCli(["verify", path]);
  expect(changed.code).toBe(1);
  expect(changed.stdout.toString()).toBe(
    "FAIL  line 6, run run-1, event 2: its digest is not that of what was appended\nbroken: 1 in 7 events of 3 runs\n",
  );
  const other = join(directory, "other.txt");
  writeFileSync(other, "hello\n");
  const wrong = await runCli(["verify", other]);
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("other.txt, line 1: this is no session log"),
  });
  const missing = await runCli(["verify", join(directory, "missing")]);
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("(ENOENT)") });
  expect((await runCli(["verify"])).code).toBe(2);
  expect((await runCli(["verify", "--head", "run=1:ab", path])).code).toBe(2);
});
