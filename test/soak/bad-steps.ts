/** Steps in which something goes wrong on purpose: the ending is the true one, and the shell is there again. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isSandboxError } from "../../src/index.ts";
import type { Step } from "./good-steps.ts";
import { EXITED, type Lane, SIGKILLED } from "./lane.ts";

const DEADLINE = { exitCode: 124, ending: "killed", by: "deadline" } as const;
const ABORTED = { exitCode: 137, ending: "killed", by: "abort" } as const;
const DISPOSED = { exitCode: 137, ending: "killed", by: "dispose" } as const;
const OVER_MEMORY = { exitCode: 137, ending: "killed", by: "memory" } as const;

/** What a guest may be at when it is harmed; each prints `begun` first. */
const LOOPS = {
  sleep: "sleep 600",
  bash: "while :; do :; done",
  output: "while :; do echo more; done",
  "js-exec": "js-exec -c 'for (;;) {}'",
};

function aLoop({ random }: Lane): keyof typeof LOOPS {
  const names = Object.keys(LOOPS) as (keyof typeof LOOPS)[];
  return names[random.below(names.length)] ?? "sleep";
}

/** Runs a loop and does something once it has begun. */
async function duringLoop(
  lane: Lane,
  act: () => void,
  expected: Parameters<Lane["run"]>[1],
  options: Parameters<Lane["run"]>[2] = {},
): Promise<void> {
  let hasBegun = false;
  await lane.run(`n=lost; echo begun; ${LOOPS[aLoop(lane)]}`, expected, {
    ...options,
    onStdout: () => {
      if (hasBegun) return;
      hasBegun = true;
      act();
    },
  });
}

export const BAD_STEPS: readonly Step[] = [
  {
    name: "SIGKILL in a command",
    weight: 4,
    async run(lane) {
      await duringLoop(lane, () => lane.signal("SIGKILL"), SIGKILLED);
      await lane.expectState();
    },
  },
  {
    name: "SIGKILL in a tool call",
    weight: 2,
    async run(lane) {
      lane.onMoment = () => lane.signal("SIGKILL");
      await lane.run("js-exec -c 'await tools.moment({}); for (;;) {}'", SIGKILLED);
      await lane.expectState();
    },
  },
  {
    name: "SIGKILL when idle",
    weight: 2,
    async run(lane) {
      await lane.kill();
      await lane.expectState();
    },
  },
  {
    name: "SIGKILL in a file transfer",
    weight: 1,
    async run(lane) {
      const content = lane.random.bytes(2_000_000);
      const written = lane.sandbox.fs.writeFile("/w/big", content).catch((error: unknown) => {
        // Not there in time, or cut off: either is told.
        if (!isSandboxError(error) || error.code !== "WORKER_EXITED") throw error;
      });
      for (let turn = lane.random.below(40); turn > 0; turn--)
        await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([lane.kill(), written]);
      await lane.sandbox.fs.writeFile("/w/big", content);
      const read = await lane.sandbox.fs.readFileBuffer("/w/big");
      if (Buffer.compare(read, content) !== 0) throw new Error("another content was read than was written");
      rmSync(join(lane.directory, "big"));
      await lane.expectState();
    },
  },
  {
    name: "SIGSTOP in a command",
    weight: 2,
    async run(lane) {
      const timeoutMs = lane.random.between(1_500, 2_500);
      await duringLoop(lane, () => lane.signal("SIGSTOP"), DEADLINE, { timeoutMs });
      await lane.expectState();
    },
  },
  {
    name: "SIGSTOP, then dispose",
    weight: 1,
    async run(lane) {
      lane.signal("SIGSTOP");
      await lane.reopen();
    },
  },
  {
    name: "deadline",
    weight: 4,
    async run(lane) {
      await lane.run(LOOPS[aLoop(lane)], DEADLINE, { timeoutMs: lane.random.between(1, 1_500) });
      await lane.expectState();
    },
  },
  {
    name: "a tool that never answers",
    weight: 2,
    async run(lane) {
      const timeoutMs = lane.random.between(100, 1_500);
      await lane.run("js-exec -c 'await tools.never({})'", DEADLINE, { timeoutMs });
      await lane.expectState();
    },
  },
  {
    name: "abort in a command",
    weight: 4,
    async run(lane) {
      const caller = new AbortController();
      await duringLoop(lane, () => caller.abort(), ABORTED, { signal: caller.signal });
      await lane.expectState();
    },
  },
  {
    name: "abort at any time",
    weight: 3,
    async run(lane) {
      const caller = new AbortController();
      const running = lane.run("sleep 600", ABORTED, { signal: caller.signal });
      setTimeout(() => caller.abort(), lane.random.below(500));
      await running;
      await lane.expectState();
    },
  },
  {
    name: "too much memory",
    weight: 1,
    async run(lane) {
      const hog = 'const kept = []; for (;;) kept.push("x".repeat(1 << 20))';
      await lane.run(`echo begun; js-exec -c '${hog}'`, { ...OVER_MEMORY, stdout: "begun\n" });
      await lane.expectState();
    },
  },
  {
    name: "dispose in a command",
    weight: 2,
    async run(lane) {
      let disposed = Promise.resolve();
      await duringLoop(
        lane,
        () => {
          disposed = lane.close();
        },
        DISPOSED,
      );
      await disposed;
      await lane.open();
      await lane.run("echo new", { ...EXITED, stdout: "new\n" });
    },
  },
];
