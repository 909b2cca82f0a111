/** The soak in short; `npm run soak` is the long one. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../build/paths.ts";

test("20 seconds of full load, kills and aborts leave nothing behind and every ending is true", {
  timeout: 240_000,
}, () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--expose-gc", "--import", "tsx", join(import.meta.dirname, "main.ts"), "--seconds", "20"],
    { cwd: root, encoding: "utf8", timeout: 230_000 },
  );
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  expect(stdout).toContain("all held");
});
