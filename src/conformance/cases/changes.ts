/** What a command changed, told exactly: no more, no less. */
import { createHash } from "node:crypto";
import type { FileChange } from "../../shared/file-change.ts";
import type { SandboxCase, Stage } from "../stage.ts";

/** A change of a file of `/session` that exists after it. */
function file({ inside }: Stage, change: "created" | "modified", name: string, text: string): FileChange {
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { change, path: inside("session", name), kind: "file", size: Buffer.byteLength(text), sha256 };
}

function other(
  { inside }: Stage,
  change: FileChange["change"],
  name: string,
  kind: FileChange["kind"],
): FileChange {
  return { change, path: inside("session", name), kind };
}

export const changeCases: readonly SandboxCase[] = [
  {
    name: "what a command creates, modifies and deletes is told with kind, size and digest, sorted by path",
    needs: ["scripts", "changes"],
    async run(stage) {
      await stage.write("session", "old.txt", "old\n");
      await stage.write("session", "gone/a", "a");
      const { exec } = await stage.open();
      const result = await exec(
        "echo new > new.txt; echo more >> old.txt; rm -r gone; mkdir dir; ln -s old.txt link",
      );
      stage.check.equal("changes", result.changes, [
        other(stage, "created", "dir", "directory"),
        other(stage, "deleted", "gone", "directory"),
        other(stage, "deleted", "gone/a", "file"),
        other(stage, "created", "link", "symlink"),
        file(stage, "created", "new.txt", "new\n"),
        file(stage, "modified", "old.txt", "old\nmore\n"),
      ]);
    },
  },
  {
    name: "a rewrite with the same size and time is found; one with the same content is not told",
    needs: ["scripts", "changes"],
    async run(stage) {
      await stage.write("session", "a", "aaaa");
      await stage.write("session", "b", "bbbb");
      const { exec } = await stage.open();
      const result = await exec("touch -r a ref; printf cccc > a; touch -r ref a; rm ref; printf bbbb > b");
      stage.check.equal("changes", result.changes, [file(stage, "modified", "a", "cccc")]);
    },
  },
  {
    name: "a move is a deletion and a creation",
    needs: ["scripts", "changes"],
    async run(stage) {
      await stage.write("session", "from", "x");
      const { exec } = await stage.open();
      const { changes } = await exec("mv from to");
      stage.check.equal("changes", changes, [
        other(stage, "deleted", "from", "file"),
        file(stage, "created", "to", "x"),
      ]);
    },
  },
  {
    name: "reading changes nothing, and what comes and goes within a command is not told",
    needs: ["scripts", "changes"],
    async run({ open, check, write }) {
      await write("session", "a", "x");
      const { exec, events } = await open();
      const result = await exec("cat a; ls; echo 1 > passing; rm passing");
      check.equal("changes", result.changes, []);
      check.equal(
        "file events",
        events.filter(({ type }) => type.startsWith("harness.file.")),
        [],
      );
    },
  },
  {
    name: "untracked mounts are not told",
    needs: ["scripts", "changes"],
    async run({ open, check, inside, read }) {
      const { exec } = await open();
      const result = await exec(`echo 1 > "$1"`, { args: [inside("plain", "a")] });
      check.equal("changes", result.changes, []);
      check.equal("the file on the host", await read("plain", "a"), "1\n");
    },
  },
  {
    name: "what somebody else changes between commands is blamed on none",
    needs: ["scripts", "changes"],
    async run(stage) {
      const { exec, events } = await stage.open();
      await exec("echo 1 > a");
      await stage.write("session", "host", "from outside");
      await stage.write("session", "a", "2");
      const result = await exec("echo 3 > b");
      stage.check.equal("changes", result.changes, [file(stage, "created", "b", "3\n")]);
      const blamed = events.filter(
        (event) => "path" in event && event.path.endsWith("/host") && event.source === "command",
      );
      stage.check.equal("events that blame a command for it", blamed, []);
    },
  },
  {
    name: "each change is an event of its command, after the command's end",
    needs: ["scripts", "changes"],
    async run({ open, check }) {
      const { exec, events } = await open();
      const { changes } = await exec("echo 1 > a; mkdir b");
      const types = events.map(({ type }) => type.replace("harness.", ""));
      check.equal("the events", types, [
        "runtime.command.started",
        "runtime.command.completed",
        "file.created",
        "file.created",
      ]);
      const [started, completed, ...files] = events;
      check.matches("the end", completed as object, { changes: 2 });
      const told = files.map(
        (event) => "path" in event && [event.path, event.kind, event.source, event.commandId],
      );
      check.equal(
        "the file events",
        told,
        changes.map(({ path, kind }) => [path, kind, "command", started?.occurrenceId]),
      );
    },
  },
  {
    name: "what a killed command had changed is told",
    needs: ["scripts", "changes"],
    async run(stage) {
      const { exec } = await stage.open();
      const result = await exec("echo 1 > a; sleep 30", { timeoutMs: 1_000 });
      stage.check.matches("the result", result, {
        ending: { kind: "killed", by: "deadline" },
        changes: [file(stage, "created", "a", "1\n")],
      });
    },
  },
  {
    name: "what fs changes is told as its doing",
    needs: ["changes"],
    async run({ open, check, inside }) {
      const { sandbox, events } = await open();
      await sandbox.fs.writeFile("a", "1");
      await sandbox.fs.writeFile("a", "22");
      await sandbox.fs.rm("a");
      const told = events.map((event) => "path" in event && [event.type, event.path, event.source]);
      const path = inside("session", "a");
      check.equal(
        "the events",
        told,
        ["created", "modified", "deleted"].map((change) => [`harness.file.${change}`, path, "fs"]),
      );
    },
  },
];
