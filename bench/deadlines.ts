/**
 * How late a command ends after its deadline: `npx tsx bench/deadlines.ts`, after `npm run build`. Host time from
 * the call to the result, less the deadline; a warm worker. It leaves out a machine with more work than cores.
 */
import { openSandbox } from "./built.ts";
import { withDirectory } from "./scratch.ts";

const DEADLINE_MS = 1_000;
const RUNS = 3;
const LOOPS: Record<string, string> = {
  "bash loop": "while :; do :; done",
  sleep: "sleep 600",
  "js-exec loop": "js-exec -c 'for (;;) {}'",
  "python loop": "python3 -c 'while True: pass'",
  "awk loop": "awk 'BEGIN { while (1) i++ }'",
  "flood of output": "while :; do echo 0123456789012345678901234567890123456789; done",
};

await withDirectory(async (directory) => {
  const sandbox = await openSandbox({ mounts: { "/w": directory }, sandbox: "subprocess" });
  for (const [what, loop] of Object.entries(LOOPS)) {
    const lateMs: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      await sandbox.exec("true");
      const start = performance.now();
      const { exitCode } = await sandbox.exec(loop, { timeoutMs: DEADLINE_MS });
      if (exitCode !== 124) throw new Error(`${what}: exit code ${exitCode}`);
      lateMs.push(Math.round(performance.now() - start - DEADLINE_MS));
    }
    console.log(
      `${what.padEnd(16)}${lateMs.map((ms) => `${ms} ms`.padStart(8)).join("")} after the deadline`,
    );
  }
  await sandbox.dispose();
});
