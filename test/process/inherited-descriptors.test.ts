/** A file that the host itself was started with, on a number that Node.js does not mark as its own. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { rungs } from "../helpers/rungs.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** Says which processes below the host hold the file, and how many there are. */
const HOST = `
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { openSandbox } from ${JSON.stringify(pathToFileURL(join(root, "dist/index.js")).href)};
const [how, directory, secret] = process.argv.slice(2);
function childrenOf(pid) {
  const children = readFileSync("/proc/" + pid + "/task/" + pid + "/children", "latin1").split(" ").filter(Boolean);
  return children.flatMap((child) => [child, ...childrenOf(child)]);
}
function tell() {
  const children = childrenOf(process.pid);
  const holding = children.filter((pid) => readdirSync("/proc/" + pid + "/fd").some((descriptor) => {
    try { return readlinkSync("/proc/" + pid + "/fd/" + descriptor) === secret; } catch { return false; }
  }));
  console.log(holding.length > 0 ? "held" : "not held", children.length > 0 ? "by a child" : "for there is none");
}
if (how === "bare") {
  const child = spawn(process.execPath, ["--eval", "console.log(1); process.stdin.resume()"]);
  await once(child.stdout, "data");
  tell();
  child.kill();
} else {
  const sandbox = await openSandbox({ mounts: { "/w": directory }, isolation: how });
  const { stdout } = await sandbox.exec("echo works");
  process.stdout.write(stdout);
  tell();
  await sandbox.dispose();
}`;

function startWithSecret(how: string): string {
  const directory = tempDir();
  const secret = join(tempDir(), "secret");
  writeFileSync(secret, "only-for-the-host");
  const host = join(tempDir(), "host.mjs");
  writeFileSync(host, HOST);
  const start = `exec 251<"$1"; exec "$2" "$3" "$4" "$5" "$1"`;
  const { stdout, stderr } = spawnSync(
    "bash",
    ["-c", start, "bash", secret, process.execPath, host, how, directory],
    { encoding: "utf8" },
  );
  return stdout + stderr;
}

test("a child that the host starts plainly has it", () => {
  expect(startWithSecret("bare")).toBe("held by a child\n");
});

test.each(rungs)("no worker on %s has it", (rung) => {
  expect(startWithSecret(rung)).toBe("works\nnot held by a child\n");
});
