/** A host that dies at any point of a command: the next one with the same journal tells each change, once. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openSandbox } from "../../src/index.ts";
import { openForTest } from "../helpers/open.ts";
import { changesBetween, linesOf, readTree } from "../helpers/read-tree.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const HOST = fileURLToPath(new URL("../fixtures/journal-host.mjs", import.meta.url));
const ENTRY = new URL("../../dist/index.js", import.meta.url).href;
const SCRIPT =
  "echo 1 > made; echo 2 > old; mkdir d; echo x > d/x; rm gone; mv m n; rm -r tree; printf same > same";

function prepare() {
  const root = tempDir();
  const mount = join(root, "w");
  mkdirSync(join(mount, "tree/sub"), { recursive: true });
  for (const name of ["old", "gone", "m", "same", "tree/a", "tree/sub/b"])
    writeFileSync(join(mount, name), "same");
  const [journal, log] = [join(root, "journal"), join(root, "log")];
  const before = readTree(mount, "/w");
  const args = (adapter: string, script: string, at = 0, when = "after"): string[] => [
    HOST,
    ENTRY,
    mount,
    journal,
    log,
    adapter,
    script,
    String(at),
    when,
  ];
  const run = (adapter: string, script: string, at = 0, when = "after") =>
    spawnSync(process.execPath, args(adapter, script, at, when), { encoding: "utf8" });
  /** The next host: this process. */
  const recover = async (adapter: "just-bash" | "subprocess", script: string): Promise<void> => {
    await using sandbox = await openSandbox({
      mounts: { "/w": mount },
      sandbox: adapter,
      changeJournal: journal,
      onEvent: (event) => {
        if (event.type.startsWith("harness.file.")) appendFileSync(log, `${JSON.stringify(event)}\n`);
      },
    });
    expect(await sandbox.exec(script)).toMatchObject({ exitCode: 0 });
  };
  /** What was told by all hosts; an event that was told again counts once. */
  const told = () => {
    const events = new Map<string, Parameters<typeof linesOf>[0][number]>();
    for (const line of readFileSync(log, "utf8").split("\n").filter(Boolean)) {
      const event = JSON.parse(line);
      events.set(event.id, { ...event, change: event.type.slice("harness.file.".length) });
    }
    return linesOf([...events.values()]);
  };
  return {
    mount,
    journal,
    log,
    args,
    run,
    recover,
    told,
    expected: () => changesBetween(before, readTree(mount, "/w")),
  };
}

test("killed at every write to any file, before it, within it and after it", async () => {
  const whole = prepare();
  const writes = Number(whole.run("just-bash", SCRIPT).stdout.split("\n")[1]);
  expect(writes).toBeGreaterThan(10);
  expect(whole.told()).toEqual(whole.expected());
  expect(whole.expected().length).toBeGreaterThan(8);
  for (let at = 1; at <= writes; at++) {
    for (const when of ["before", "half", "after"]) {
      const host = prepare();
      expect(host.run("just-bash", SCRIPT, at, when).signal).toBe("SIGKILL");
      await host.recover("just-bash", "true");
      expect(host.told(), `killed ${when} write ${at}`).toEqual(host.expected());
      expect(statSync(host.journal).size).toBe(0);
    }
  }
}, 180_000);

test("killed while a worker is writing", async () => {
  for (const afterMs of [0, 5, 15, 40]) {
    const host = prepare();
    const script = `${SCRIPT}; for i in {1..2000}; do echo $i > f$i; done`;
    const child = spawn(process.execPath, host.args("subprocess", script));
    const gone = once(child, "exit");
    await once(child.stdout, "data");
    while (!existsSync(join(host.mount, "made"))) await new Promise((resolve) => setTimeout(resolve, 2));
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    child.kill("SIGKILL");
    await gone;
    await host.recover("subprocess", "sleep 0.2");
    expect(host.told()).toEqual(host.expected());
  }
}, 60_000);

test("what is recovered says so, and belongs to the command that made it", async () => {
  const host = prepare();
  host.run("just-bash", SCRIPT, 6, "after");
  const { sandbox, events } = await openForTest({
    mounts: { "/w": host.mount },
    changeJournal: host.journal,
  });
  await sandbox.dispose();
  expect(events.length).toBeGreaterThan(0);
  for (const event of events) {
    expect(event).toMatchObject({ source: "command", recovered: true, commandId: expect.any(String) });
    expect(event.type).toMatch(/^harness\.file\./);
  }
});

test("a journal that a script could reach, and one that is damaged, are told", async () => {
  const { mount, journal } = prepare();
  await expect(
    openForTest({ mounts: { "/w": mount }, changeJournal: join(mount, "journal") }),
  ).rejects.toMatchObject({ code: "OPTION_INVALID", message: expect.stringContaining("changeJournal") });
  writeFileSync(journal, 'no json\n{"told":"x"}\n');
  const { sandbox, events } = await openForTest({ mounts: { "/w": mount }, changeJournal: journal });
  expect(await sandbox.exec("echo fine")).toMatchObject({ exitCode: 0, stdout: "fine\n" });
  expect(existsSync(`${journal}.damaged`)).toBe(true);
  expect((await sandbox.exec("echo > more")).changes.map(({ change, path }) => `${change} ${path}`)).toEqual([
    "created /w/more",
  ]);
  expect(events).toContainEqual(
    expect.objectContaining({ changesUnknown: expect.stringContaining("line 1 of the change journal") }),
  );
});

test("a change that was told by a call around or within the command is not told again", async () => {
  for (const inner of [`await sandbox.exec("echo 1 > d/x")`, `await sandbox.fs.writeFile("/w/d/x", "1")`]) {
    const host = prepare();
    const child = spawn(process.execPath, [
      "--input-type=module",
      "-e",
      `import { openSandbox } from ${JSON.stringify(ENTRY)};
       import { writeSync, openSync } from "node:fs";
       const log = openSync(${JSON.stringify(host.log)}, "a");
       const sandbox = await openSandbox({
         mounts: { "/w": ${JSON.stringify(host.mount)} }, sandbox: "subprocess", changeJournal: ${JSON.stringify(host.journal)},
         tools: { within: { execute: async () => { ${inner}; process.kill(process.pid, "SIGKILL"); } } },
         onEvent: (event) => event.type.startsWith("harness.file.") && writeSync(log, JSON.stringify(event) + "\\n"),
       });
       await sandbox.exec("mkdir d; js-exec -c 'await tools.within()'");`,
    ]);
    await once(child, "exit");
    await host.recover("just-bash", "true");
    expect(host.told()).toEqual(host.expected());
  }
}, 60_000);

test("a line that was not written to its end spoils none of those before it", async () => {
  const host = prepare();
  host.run("just-bash", SCRIPT, 6, "after");
  const whole = readFileSync(host.journal, "utf8");
  expect(whole).toContain("touch");
  writeFileSync(host.journal, `${whole}{"half":`);
  await host.recover("just-bash", "true");
  expect(host.told()).toEqual(host.expected());
});
