/** From the factory to dispose, and after. */
import { isDeepStrictEqual } from "node:util";
import type { HarnessWorkspaceSpec } from "../../shared/workspace-spec.ts";
import type { SandboxCase } from "../stage.ts";

export const lifeCases: readonly SandboxCase[] = [
  {
    name: "the workspace is plain data: a frozen copy that crossed JSON serves as well, and is not changed",
    needs: [],
    async run({ open, check, workspace, read }) {
      const given = freeze(JSON.parse(JSON.stringify(workspace())) as HarnessWorkspaceSpec);
      const before = structuredClone(given);
      const { sandbox, exec } = await check.resolves("the factory", () => open({ workspace: given }));
      await exec("true");
      await sandbox.fs.writeFile("a", "1");
      check.equal("the file on the host", await read("session", "a"), "1");
      check.that(isDeepStrictEqual(given, before), "the workspace afterwards", given, "as it was");
    },
  },
  {
    name: "a mount whose directory is not there is refused by the factory",
    needs: [],
    async run({ open, check, workspace, mount, host }) {
      const mounts = [mount("session", { backingPath: host("session", "none") })];
      const call = () => open({ workspace: workspace({ mounts }) });
      await check.rejectsWith("WORKSPACE_INVALID", "the factory", call);
    },
  },
  {
    name: "a sandbox that ran nothing can be disposed of",
    needs: [],
    async run({ open, check }) {
      const { sandbox, events } = await open();
      await check.resolves("dispose", () => sandbox.dispose());
      check.equal("the events", events, []);
    },
  },
  {
    name: "isolation tells a rung and its walls, and never more than it knows",
    needs: [],
    async run({ open, check }) {
      const { sandbox, exec } = await open();
      await exec("true");
      const report = await check.resolves("isolation()", () => sandbox.isolation());
      const rungs = ["none", "process", "hardened", "namespace"];
      check.that(rungs.includes(report.rung), "rung", report.rung, `one of ${rungs.join(", ")}`);
      const states = report.walls.map(({ state }) => state);
      const unknown = states.filter((state) => !["holds", "open", "not-claimed"].includes(state));
      check.equal("walls in a state of their own", unknown, []);
    },
  },
  {
    name: "dispose may be called again and again, and never rejects",
    needs: [],
    async run({ open, check }) {
      const { sandbox, exec } = await open();
      await exec("true");
      await check.resolves("two at once", () => Promise.all([sandbox.dispose(), sandbox.dispose()]));
      await check.resolves("once more", () => sandbox.dispose());
      await check.resolves("by Symbol.asyncDispose", async () => await sandbox[Symbol.asyncDispose]());
    },
  },
  {
    name: "after dispose exec refuses, fs rejects, and nothing is emitted",
    needs: [],
    async run({ open, check }) {
      const { sandbox, exec, events } = await open();
      await exec("true");
      await sandbox.dispose();
      const told = events.length;
      const refused = { exitCode: 126, ending: { kind: "refused", by: "policy" } };
      check.matches("exec", await exec("echo never"), refused);
      await check.rejectsWith("SANDBOX_DISPOSED", "fs.readdir", () => sandbox.fs.readdir("."));
      check.equal("events after dispose", events.slice(told), []);
    },
  },
  {
    name: "dispose ends the command that runs and refuses those that wait, and both say so",
    needs: ["scripts"],
    async run({ open, check }) {
      const { sandbox, exec } = await open();
      await exec("true");
      const running = exec("sleep 30");
      const waiting = exec("echo never");
      setTimeout(() => void sandbox.dispose(), 100);
      const ended = { exitCode: 137, ending: { kind: "killed", by: "dispose" } };
      check.matches("the running command", await running, ended);
      const { ending, stdout } = await waiting;
      check.equal(
        "the waiting command",
        { ending, stdout },
        { ending: { kind: "refused", by: "policy" }, stdout: "" },
      );
      await check.resolves("dispose", () => sandbox.dispose());
    },
  },
  {
    name: "files stay when the sandbox goes, and the next one sees them",
    needs: ["scripts"],
    async run({ open, check, read }) {
      const first = await open();
      await first.exec("echo kept > a");
      await first.sandbox.dispose();
      check.equal("the file on the host", await read("session", "a"), "kept\n");
      check.equal("the next sandbox", (await (await open()).exec("cat a")).stdout, "kept\n");
    },
  },
];

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) freeze(inner);
    Object.freeze(value);
  }
  return value;
}
