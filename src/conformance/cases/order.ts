/** Calls of exec that overlap. */
import type { SandboxCase } from "../stage.ts";

export const orderCases: readonly SandboxCase[] = [
  {
    name: "parallel calls run one at a time, in the order of the calls",
    needs: ["scripts"],
    async run({ open, check, read }) {
      const { exec, events } = await open();
      const scripts = [1, 2, 3, 4].map((n) => `echo start ${n} >> log; sleep 0.05; echo end ${n} >> log`);
      await Promise.all(scripts.map((script) => exec(script)));
      const expected = [1, 2, 3, 4].map((n) => `start ${n}\nend ${n}\n`).join("");
      check.equal("what they wrote", await read("session", "log"), expected);
      const ends = events.filter(({ type }) => type.startsWith("harness.runtime.command."));
      const names = ends.map(({ type }) => type.split(".").at(-1));
      check.equal(
        "the events",
        names,
        [1, 2, 3, 4].flatMap(() => ["started", "completed"]),
      );
    },
  },
  {
    name: "a command that is aborted while it waits for its turn ends at once, and never runs",
    needs: ["scripts"],
    async run({ open, check, write, read }) {
      const abort = new AbortController();
      const { exec } = await open();
      const order: string[] = [];
      const first = exec("until [ -e go ]; do sleep 0.02; done", { timeoutMs: 10_000 }).then(() =>
        order.push("first"),
      );
      const second = exec("echo ran > ran", { signal: abort.signal }).then((result) => {
        order.push("second");
        return result;
      });
      abort.abort();
      const result = await second;
      await write("session", "go", "");
      await first;
      check.equal("the order of the ends", order, ["second", "first"]);
      check.matches("the result", result, { exitCode: 137, ending: { kind: "killed", by: "abort" } });
      check.equal("the file that the script would have written", await read("session", "ran"), null);
    },
  },
  {
    name: "a deadline counts from the start of the run, not from the call",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      const [, second] = await Promise.all([exec("sleep 1.2"), exec("echo ran", { timeoutMs: 1_000 })]);
      check.matches("the command that waited", second, { stdout: "ran\n", ending: { kind: "exited" } });
    },
  },
];
