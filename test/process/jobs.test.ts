/** What background jobs leave to others: turns of the event loop, deadlines, and a process that can end. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { tempDir } from "../helpers/temp-dir.ts";

describe.each(["subprocess", "just-bash"] as const)("busy jobs in %s", (sandbox) => {
  const busy = "while :; do :; done";

  test("end with the script that nobody waits in, and it says so", async () => {
    const { sandbox: opened } = await openForTest({ sandbox });
    const result = await opened.exec(`${busy} & echo x`, { timeoutMs: 20_000 });
    expect(result).toMatchObject({ stdout: "x\n", exitCode: 0, ending: { kind: "exited" } });
    expect(result.stderr).toMatch(/^bash: \[1\] ended with its script/);
  });

  test.each([`${busy} & ${busy} & wait`, `${busy} & ${busy}`, `bash -c '${busy}' & sleep 600`])(
    "do not hold a deadline up: %s",
    async (script) => {
      const { sandbox: opened } = await openForTest({ sandbox });
      await opened.exec("true"); // so that the deadline is the command's and not the start's
      const result = await opened.exec(script, { timeoutMs: 400 });
      expect(result).toMatchObject({ exitCode: 124, ending: { kind: "killed", by: "deadline" } });
      expect(await opened.exec("echo on", { timeoutMs: 20_000 })).toMatchObject({ stdout: "on\n" });
    },
  );
});

test.each(["sleep 600 & wait", "sleep 600 & sleep 600", "(timeout 600 sleep 600) & wait"])(
  "an ended command's timers do not keep the host's process alive: %s",
  (script) => {
    const entry = pathToFileURL(join(import.meta.dirname, "../../dist/index.js")).href;
    const host = `
      import { openSandbox } from ${JSON.stringify(entry)};
      const sandbox = await openSandbox({
        mounts: { "/w": ${JSON.stringify(tempDir())} },
        sandbox: "just-bash",
      });
      const { exitCode } = await sandbox.exec(${JSON.stringify(script)}, { timeoutMs: 500 });
      await sandbox.dispose();
      console.log(exitCode);`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", host], {
      encoding: "utf8",
      timeout: 20_000,
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "124\n", stderr: "" });
  },
);
