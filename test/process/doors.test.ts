/**
 * A write where none is allowed is a message on stderr and a failure of that one command, through whichever door:
 * the script goes on, and nothing on disk is other than before.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type HarnessSandbox, isSandboxError, openSandbox } from "../../src/index.ts";
import { doors, pythonDoors, scriptDoors } from "../fixtures/doors.ts";
import { digestTree } from "../helpers/digest-tree.ts";
import { onRung, type Rung, rungs } from "../helpers/rungs.ts";

/** Where the doors are aimed → whether writing is allowed there. */
const PLACES: Readonly<Record<string, string>> = {
  "a read-only mount": "/ro",
  "a read-only prefix of a mount": "/w/fixed",
  "a prefix that became read-only while the sandbox was open": "/w/turn",
  "a read-only mount in one that may be written": "/w/ro",
};

const PREPARE =
  "mkdir -p /tmp/s/t; echo src > /tmp/s/x; echo in > /tmp/s/t/y; (cd /tmp/s && tar cf s.tar x t); true";

function fill(directory: string): void {
  mkdirSync(join(directory, "d"), { recursive: true });
  mkdirSync(join(directory, "empty"), { recursive: true });
  writeFileSync(join(directory, "a"), "orig\n", { mode: 0o640 });
  writeFileSync(join(directory, "d/f"), "inner\n");
}

let root: string;
let sandbox: HarnessSandbox;
let prefixes: string[] = [];

async function open(options: object): Promise<void> {
  root = mkdtempSync(join(tmpdir(), "harness-test-"));
  for (const name of ["rw", "rw/fixed", "rw/turn", "ro", "nested-ro", "nested-rw"]) fill(join(root, name));
  mkdirSync(join(root, "ro/w"));
  mkdirSync(join(root, "rw/ro"));
  sandbox = await openSandbox({
    mounts: {
      "/w": { path: join(root, "rw"), readOnlyPrefixes: ["/w/fixed"] },
      "/ro": { path: join(root, "ro"), access: "ro" },
      "/w/ro": { path: join(root, "nested-ro"), access: "ro" },
      "/ro/w": join(root, "nested-rw"),
    },
    cwd: "/w",
    getReadOnlyPrefixes: () => prefixes,
    ...options,
  });
  await sandbox.exec(PREPARE);
  prefixes = ["/w/turn"];
}

async function close(): Promise<void> {
  await sandbox.dispose();
  rmSync(root, { recursive: true });
}

/** Runs a command and looks at what it said and did; the script has to go on behind it. */
async function tryDoor(command: string): Promise<{ said: string; status: number; changed: boolean }> {
  const before = digestTree(root);
  const { stdout, stderr, exitCode } = await sandbox.exec(`${command}\necho "status $?"; echo after`);
  expect(exitCode).toBe(0);
  const status = /status (\d+)\nafter\n$/.exec(stdout)?.[1];
  return { said: stderr, status: Number(status), changed: digestTree(root) !== before };
}

const placesInCode = JSON.stringify(Object.values(PLACES));

function python(): string {
  const tries = Object.entries(pythonDoors).map(
    ([name, statement]) => `
    try:
        ${statement}
        print(at, ${JSON.stringify(name)}, "done")
    except OSError as error: print(at, ${JSON.stringify(name)}, errno.errorcode.get(error.errno))`,
  );
  return `python3 - <<'E'\nimport errno, os, shutil\nfor at in ${placesInCode}:${tries.join("")}\nE`;
}

function script(): string {
  const tries = Object.entries(scriptDoors).map(
    ([name, statement]) =>
      `try { ${statement}; console.log(at, "${name} done"); } catch (error) { console.log(at, "${name}", error.code); }`,
  );
  return `cat > /tmp/s/doors.js <<'E'\nconst fs = require("fs");\nfor (const at of ${placesInCode}) {\n${tries.join("\n")}\n}\nE\njs-exec /tmp/s/doors.js`;
}

const each = (names: Readonly<Record<string, string>>, outcome: string): string =>
  Object.values(PLACES)
    .flatMap((at) => Object.keys(names).map((name) => `${at} ${name} ${outcome}\n`))
    .join("");

/** Calls of `sandbox.fs`; resolves to the POSIX name of what stopped each. */
async function hostDoors(at: string): Promise<string[]> {
  const { fs } = sandbox;
  const calls = [
    () => fs.writeFile(`${at}/a`, "x"),
    () => fs.writeFile(`${at}/n`, new Uint8Array([0, 255])),
    () => fs.appendFile(`${at}/a`, "x"),
    () => fs.mkdir(`${at}/n`),
    () => fs.mkdir(`${at}/n/o`, { recursive: true }),
    () => fs.rm(`${at}/a`),
    () => fs.rm(`${at}/d`, { recursive: true, force: true }),
    () => fs.mv(`${at}/a`, `${at}/b`),
    () => fs.mv(`${at}/a`, "/w/stolen"),
    () => fs.cp("/tmp/s/x", `${at}/n`),
    () => fs.cp("/tmp/s/t", `${at}/n`, { recursive: true }),
    () => fs.chmod(`${at}/a`, 0o751),
    () => fs.symlink("x", `${at}/n`),
  ];
  const outcomes: string[] = [];
  for (const call of calls) {
    outcomes.push(
      await call().then(
        () => "done",
        (error: unknown) =>
          isSandboxError(error) ? String((error.data as { errno?: string }).errno) : "other",
      ),
    );
  }
  return outcomes;
}

const onOtherRungs: [string, object][] = rungs
  .filter((rung): rung is Exclude<Rung, "process"> => rung !== "process")
  .map((rung) => [`a subprocess on the rung ${rung}`, { sandbox: "subprocess", ...onRung(rung) }]);

describe.each<[string, object]>([
  ["a subprocess on the rung process", { sandbox: "subprocess", ...onRung("process") }],
  ["this process", { sandbox: "just-bash" }],
  ...onOtherRungs,
])("in %s", (where, options) => {
  beforeAll(() => open(options));
  afterAll(close);

  describe.each(Object.entries(PLACES))("in %s", (_place, at) => {
    // One line of them all is enough to see that a rung changes nothing, and one place that the other adapter does not.
    const isWhole =
      where.includes("rung process") || (where === "this process" && at === PLACES["a read-only mount"]);
    const shown = isWhole ? doors : doors.slice(0, 3);
    test.each(shown)("$name fails alone, says why, and changes nothing", async ({ command, says }) => {
      const { said, status, changed } = await tryDoor(command(at));
      expect(said).toMatch(new RegExp(`${says.replaceAll("AT", at)}(.*: )?Read-only file system$`, "m"));
      expect(status).not.toBe(0);
      expect(changed).toBe(false);
    });
  });

  // All places at once: to start Python and js-exec takes most of the time.
  test("no call of Python, js-exec or the host changes anything in any of them", async () => {
    const before = digestTree(root);
    expect((await sandbox.exec(python())).stdout).toBe(each(pythonDoors, "EROFS"));
    expect((await sandbox.exec(script())).stdout).toBe(each(scriptDoors, "EROFS"));
    for (const at of Object.values(PLACES)) expect(new Set(await hostDoors(at))).toEqual(new Set(["EROFS"]));
    expect(digestTree(root)).toBe(before);
  });

  test("everything outside the mounts stays as it is", async () => {
    const before = digestTree(root);
    const commands = [
      "echo x > /n",
      "echo x >> /etc/passwd",
      "mkdir /n",
      "rm /etc/passwd",
      "mv /etc/passwd /w/p",
    ];
    for (const command of [
      ...commands,
      "ln -s x /n",
      "touch /opt/n",
      "chmod 777 /etc",
      "cp /tmp/s/x /opt/n",
    ]) {
      const { said, status } = await tryDoor(command);
      expect([command, status, said]).toEqual([command, 1, expect.stringContaining("Read-only file system")]);
    }
    expect(digestTree(root)).toBe(before);
  });
});

describe("where writing is allowed", () => {
  beforeEach(() => open({ sandbox: "subprocess" }));
  afterEach(close);

  // The first doors tell that a mount in another one is no other mount.
  test.each([
    ["a mount that may be written", "/w", "rw", doors],
    ["a mount that may be written in a read-only one", "/ro/w", "nested-rw", doors.slice(0, 8)],
  ])("in %s every door is open", async (_place, at, folder, tried) => {
    const host = join(root, folder);
    for (const { name, command } of tried) {
      for (const left of readdirSync(host)) {
        if (!["fixed", "turn", "ro"].includes(left)) rmSync(join(host, left), { recursive: true });
      }
      fill(host);
      await sandbox.exec(PREPARE);
      const { said, status, changed } = await tryDoor(command(at));
      expect([name, status, said]).toEqual([name, 0, ""]);
      // What is written through `1<>` goes to stdout (docs/shell.md).
      if (!name.startsWith("<> of")) expect([name, changed]).toEqual([name, true]);
    }
  });
});

describe("under a full quota", () => {
  beforeAll(async () => {
    await open({ sandbox: "subprocess" });
    await sandbox.dispose();
    await openFull();
  });
  afterAll(close);

  async function openFull(): Promise<void> {
    // Sources from the host, as the guest has no room to make them.
    const sources = join(root, "s");
    mkdirSync(join(sources, "t"), { recursive: true });
    writeFileSync(join(sources, "x"), "src\n");
    writeFileSync(join(sources, "t/y"), "in\n");
    sandbox = await openSandbox({
      mounts: { "/w": join(root, "rw"), "/s": { path: sources, access: "ro" } },
      sandbox: "subprocess",
      limits: { maxWriteBytes: 1 },
    });
  }

  const filling = doors.filter(({ needsRoom, name }) => needsRoom && name !== "tar x");
  // A file that is there is emptied before it is written, as everywhere: only what a door creates is looked at.
  test.each(filling)("$name fails alone, says why, and leaves nothing behind", async ({ command, says }) => {
    fill(join(root, "rw"));
    const before = readdirSync(root, { recursive: true });
    const { said, status } = await tryDoor(command("/w").replaceAll("/tmp/s", "/s"));
    const pattern = says.replaceAll("AT", "/w").replaceAll("/tmp/s", "/s");
    expect(said).toMatch(new RegExp(`${pattern}(.*: )?Disk quota exceeded$`, "m"));
    expect(status).not.toBe(0);
    expect(readdirSync(root, { recursive: true })).toEqual(before);
  });
});
