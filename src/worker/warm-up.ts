/**
 * A worker that was started ahead of need uses the wait: a shell over no mounts runs one command and is thrown away,
 * so that the code of a first command is loaded and compiled when the workspace comes.
 */
import type { EngineInput, EngineOptions, EngineShell } from "../engine/port.ts";
import { defenseInDepthForAdapter } from "../shared/defense.ts";
import { MountFs } from "../workspace/mount-fs.ts";
import type { loadEngine } from "./load-engine.ts";

/** A worker that is needed at once is asked to open its workspace before it has loaded the engine. */
const WAIT_MS = 50;

/** The returned function says when a warm-up that is under way is over; none begins after it was called. */
export function warmUpIfSpare(engine: ReturnType<typeof loadEngine>): () => Promise<void> {
  let underWay = Promise.resolve();
  let asked = false;
  void engine.then(
    ({ createShellFsError, openShell }) => {
      // Timers come before what has arrived meanwhile: the question may lie in the pipe already.
      setTimeout(() => setImmediate(begin), WAIT_MS);
      const begin = (): void => {
        if (asked) return;
        const fs = new MountFs({ mounts: [], createError: createShellFsError, maxWriteBytes: 1 });
        const shell = openShell(OPTIONS, fs, null);
        // What is wrong here is wrong in the workspace's own shell too, and told there.
        underWay = runAll(shell).catch(() => undefined);
      };
    },
    () => undefined,
  );
  return () => {
    asked = true;
    return underWay;
  };
}

async function runAll(shell: EngineShell): Promise<void> {
  for (const script of WARM_UP_SCRIPTS) await shell.run({ ...INPUT, script });
  shell.close();
}

const OPTIONS: EngineOptions = {
  cwd: "/",
  python: true,
  javascript: true,
  tools: false,
  network: null,
  executionLimits: {},
  defenseInDepth: defenseInDepthForAdapter("subprocess"),
  tripWires: [],
};

/** What most first commands use; nothing that loads a language. */
const WARM_UP_SCRIPTS = ["true", 'x=$(echo a | cat); [ "$x" = a ] && ls / > /dev/null'];

const INPUT: Omit<EngineInput, "script"> = {
  args: [],
  stdin: null,
  cwd: null,
  env: null,
  replaceEnv: false,
  deadlineMs: null,
  signal: null,
  onOutput: () => undefined,
  invokeTool: null,
};
