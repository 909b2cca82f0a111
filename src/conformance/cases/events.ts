/** The stream of events: in order, whole, plain, and without effect on what it tells. */
import type { HarnessEvent } from "../../shared/events.ts";
import type { SandboxCase } from "../stage.ts";

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

export const eventCases: readonly SandboxCase[] = [
  {
    name: "every command is told as started, then as completed or failed, grouped by occurrenceId",
    needs: [],
    async run({ open, check }) {
      const { exec, events } = await open();
      const results = [await exec("exit 0"), await exec("exit 3"), await exec("exit 0", { timeoutMs: -1 })];
      const types = events.map(({ type }) => type.replace("harness.runtime.", ""));
      const ends = results.map(({ ending }) =>
        ending.kind === "exited" ? "command.completed" : "command.failed",
      );
      check.equal(
        "the events",
        types,
        ends.flatMap((end) => ["command.started", end]),
      );
      const ids = events.map(({ occurrenceId }) => occurrenceId);
      check.equal("occurrenceId of each pair", [ids[0], ids[2], ids[4]], [ids[1], ids[3], ids[5]]);
      check.equal("different commands", new Set(ids).size, 3);
      const told = events
        .filter((event) => "exitCode" in event)
        .map((event) => "exitCode" in event && event.exitCode);
      check.equal(
        "their exit codes",
        told,
        results.map(({ exitCode }) => exitCode),
      );
    },
  },
  {
    name: "a killed command is told as failed, with its ending",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec, events } = await open();
      const { ending } = await exec("sleep 30", { timeoutMs: 500 });
      const last = events.at(-1);
      check.equal("the last event", last?.type, "harness.runtime.command.failed");
      check.equal("its ending", last !== undefined && "ending" in last && last.ending, ending);
    },
  },
  {
    name: "seq counts 1, 2, 3 without gaps, ids are unique, times are ISO 8601 in UTC",
    needs: [],
    async run({ open, check }) {
      const { exec, events, sandbox } = await open();
      await Promise.all([exec("true"), exec("true"), exec("true")]);
      await sandbox.fs.writeFile("a", "1");
      await sandbox.dispose();
      check.that(events.length >= 6, "events", events.length, "six or more");
      check.equal(
        "seq",
        events.map(({ seq }) => seq),
        events.map((_, index) => index + 1),
      );
      check.equal("different ids", new Set(events.map(({ id }) => id)).size, events.length);
      check.equal(
        "times that are none",
        events.map(({ at }) => at).filter((at) => !UTC.test(at)),
        [],
      );
    },
  },
  {
    name: "every event is plain JSON data",
    needs: [],
    async run({ open, check }) {
      const { exec, events } = await open();
      await exec("echo 1; exit 2", { args: ["a"], env: { A: "1" } });
      check.that(events.length > 0, "events", events.length, "one or more");
      check.equal("the events after JSON", JSON.parse(JSON.stringify(events)) as HarnessEvent[], events);
    },
  },
  {
    name: "an emit that throws or rejects changes no result",
    needs: [],
    async run({ open, check }) {
      const plain = await (await open()).exec("echo 1; exit 3");
      const emits = [
        () => {
          throw new Error("emit threw");
        },
        () => Promise.reject(new Error("emit rejected")),
      ];
      for (const emit of emits) {
        const { exec } = await open({ emit });
        const { durationMs: _, ...result } = await exec("echo 1; exit 3");
        check.matches("the result", plain, result);
      }
    },
  },
  {
    name: "trace options decide what an event holds",
    needs: ["scripts"],
    async run({ open, check }) {
      const traced = async (shows: boolean) => {
        const traceOptions = {
          command: shows,
          output: shows,
          toolInput: shows,
          toolResult: shows,
          maxFieldBytes: 1024,
        };
        const { exec, events } = await open({ traceOptions });
        await exec("echo marked-7421");
        return events
          .filter((event) => JSON.stringify(event).includes("marked-7421"))
          .map(({ type }) => type);
      };
      check.equal("events with the text, all on", await traced(true), [
        "harness.runtime.command.started",
        "harness.runtime.command.completed",
      ]);
      check.equal("events with the text, all off", await traced(false), []);
    },
  },
  {
    name: "events and results name no path of the host",
    needs: ["scripts", "mountPaths"],
    async run({ open, check, host }) {
      const { exec, events } = await open();
      const results = [await exec("cat none; pwd; echo x > /none/x; ls -la .."), await exec("cd sub")];
      const text = JSON.stringify([results, events]);
      check.that(
        !text.includes(host("session", "..")),
        "what was told",
        text,
        `nothing with ${host("session", "..")}`,
      );
    },
  },
];
