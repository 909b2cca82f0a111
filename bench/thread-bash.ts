/** just-bash in a worker thread, driven by messages: the engine without a process around it, and with no walls. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface ThreadBash {
  /** One command at a time. Resolves once its result is back. */
  exec(script: string): Promise<void>;
  stop(): Promise<void>;
}

export function startThreadBash(): ThreadBash {
  // Without the loader for TypeScript that this process runs with: its start would be measured too.
  const thread = new Worker(new URL("./thread-bash-worker.mjs", import.meta.url), { execArgv: [] });
  return {
    async exec(script) {
      const answered = once(thread, "message");
      thread.postMessage(script);
      const [{ exitCode, stderr }] = (await answered) as [{ exitCode: number; stderr: string }];
      if (exitCode !== 0) throw new Error(`the command in the thread failed: ${stderr}`);
    },
    async stop() {
      await thread.terminate();
    },
  };
}
