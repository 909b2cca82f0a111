/**
 * What must be the same on every rung, and how a rung is asked for, refused, reported and ended: all of it on each,
 * hence the length.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { execa } from "execa";
import { beforeAll, describe, expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { type IsolationReport, openSandbox, subprocessSandbox } from "../../src/index.ts";
import { openForTest } from "../helpers/open.ts";
import { descendants, isAlive, until } from "../helpers/processes.ts";
import { noNamespace, onRung, type Rung, rungs } from "../helpers/rungs.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const note = noNamespace === null ? "" : ` (not tried: ${noNamespace})`;

const tools = {
  add: {
    description: "adds",
    inputSchema: { type: "object" },
    execute: (input: unknown) =>
      Promise.resolve((input as { a: number; b: number }).a + (input as { b: number }).b),
  },
};

/** Scripts, one after the other in one sandbox. */
const SCRIPTS = [
  "pwd; printf 'one\\ntwo\\n' > a; cat a; wc -l < a; [ -e a ] && echo there; stat -c %s a",
  "cp a b; mv b c; mkdir -p d/e/f; cp a d/e/f/g; cp -r d h; find . -type f | sort; rm -r d; ls",
  "chmod 600 a; chmod 755 c; ls -l a c | cut -c1-10; touch -d 2020-02-03 a; date -r a +%F 2>&1",
  "echo three >> a; sed -i 's/one/ONE/' a; tee t < a; : > c; wc -c < c; cat < t | tr a-z A-Z",
  "ln a hard; echo four >> hard; tail -n 1 a; chmod 640 hard; touch hard; ls -l hard | cut -c1-10; rm hard",
  "mkdir 'a b'; echo x > 'a b/ü ñ'; echo y > ./-dash; ls -A; cat 'a b/ü ñ' ./-dash",
  "cat /ro/x; echo no > /ro/x; echo $?; rm /ro/x; echo $?; touch /ro/y; cat /etc/passwd; ls /",
  "cat ../../../etc/passwd; cat /proc/self/environ; echo > /tmp/t; ls /tmp /home/user; cd /tmp; mv t /w/moved; ls /w",
  "cd /w; tar cf x.tar a c; rm a; tar xf x.tar; cat a; gzip -k a; gunzip -c a.gz | head -n 1",
  "x=1; f() { echo f$x; }; a=(1 2); cd h",
  `echo "$x \${a[1]} $PWD"; f; seq 1 5 | awk '{ s += $1 } END { print s }'; echo '{"k":[1,2]}' | jq -c .k; cd ..`,
  "js-exec -c \"console.log(await tools.add({a: 2, b: 3})); require('fs').writeFileSync('js', 'é')\"; cat js",
  'python3 -c \'import os; open("py", "w").write("p" * 10); print(sorted(os.listdir("."))[:3], sum(range(9)))\'; cat py',
  "sqlite3 db 'create table t(a); insert into t values(7); select a + 1 from t'; sqlite3 db 'select * from t'",
  "js-exec -c 'fetch(\"http://127.0.0.1:1\")'; echo $?; curl http://127.0.0.1:1; echo $?",
];

/** Links cannot be made on the rung `hardened`: Node's permission model refuses it without rights to all files. */
const LINKS = "ln -s a link && cat link && readlink link && rm link";

interface Said {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly changes: readonly string[];
}

async function runAll(rung: Rung, folder: string): Promise<Said[]> {
  for (const name of ["w", "docs"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "docs/x"), "fixed\n");
  const sandbox = await openSandbox({
    mounts: { "/w": join(folder, "w"), "/ro": { path: join(folder, "docs"), access: "ro" } },
    sandbox: "subprocess",
    tools,
    ...onRung(rung),
  });
  const said: Said[] = [];
  try {
    for (const script of SCRIPTS) {
      const { exitCode, stdout, stderr, changes } = await sandbox.exec(script);
      // A database and an archive hold times.
      const stable = changes.map(
        ({ change, path, size }) => `${change} ${path} ${/db|gz|tar/.test(path) ? "" : size}`,
      );
      said.push({ exitCode, stdout, stderr, changes: stable });
    }
  } finally {
    await sandbox.dispose();
  }
  return said;
}

describe("on every rung the same", () => {
  const onProcess = { said: [] as Said[] };
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "rungs-"));
    try {
      onProcess.said = await runAll("process", folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("scripts do their work on the rung process", () => {
    expect(onProcess.said[0]).toMatchObject({ exitCode: 0, stdout: "/w\none\ntwo\n2\nthere\n8\n" });
    const languages = onProcess.said.slice(11, 14).map(({ stdout }) => stdout);
    expect(languages).toEqual(["5\né", "['-dash', 'a', 'a b'] 36\npppppppppp", "8\n7\n"]);
  });

  test.skipIf(!rungs.includes("hardened"))(
    "files, bash, js-exec with tools, python3 and sqlite3 on hardened",
    async () => {
      expect(await runAll("hardened", tempDir())).toEqual(onProcess.said);
    },
  );

  test.skipIf(noNamespace !== null)(`… and on namespace${note}`, async () => {
    expect(await runAll("namespace", tempDir())).toEqual(onProcess.said);
  });

  test.for(rungs)("links can be made, but on hardened, which says so (%s)", async (rung) => {
    const { sandbox } = await openForTest(onRung(rung));
    await sandbox.exec("echo content > a");
    const result = await sandbox.exec(LINKS);
    if (rung === "hardened")
      expect(result).toMatchObject({
        exitCode: 1,
        stderr: "ln: failed to create symbolic link 'link': Permission denied\n",
      });
    else expect(result).toMatchObject({ exitCode: 0, stdout: "content\na\n" });
  });

  test.for(rungs)("links that the host made inside a mount are followed (%s)", async (rung) => {
    const { sandbox, directory } = await openForTest(onRung(rung));
    writeFileSync(join(directory, "a"), "content\n");
    symlinkSync("a", join(directory, "link"));
    expect(await sandbox.exec("cat link; readlink link")).toMatchObject({
      stdout: "content\na\n",
      exitCode: 0,
    });
  });
});

describe.for(rungs)("a worker on the rung %s", (rung) => {
  test("ends at its deadline and leaves no process, and the next command works", async () => {
    const { sandbox } = await openForTest(onRung(rung));
    await sandbox.exec("x=kept");
    const before = descendants(process.pid);
    expect(before.length).toBeGreaterThan(0);
    const result = await sandbox.exec("echo before; while true; do :; done", { timeoutMs: 2_000 });
    expect(result).toMatchObject({
      exitCode: 124,
      ending: { kind: "killed", by: "deadline" },
      stdout: "before\n",
    });
    await until(() => before.every((pid) => !isAlive(pid)));
    expect(await sandbox.exec("echo $x")).toMatchObject({ stdout: "kept\n", stateRestored: true });
  });

  test("is killed above its memory limit", async () => {
    const { sandbox } = await openForTest({ ...onRung(rung), limits: { maxMemoryMb: 300 } });
    const result = await sandbox.exec("python3 -c 'a = bytearray(); \nwhile True: a += bytes(1 << 20)'");
    expect(result).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "memory" } });
    expect(await sandbox.exec("echo next")).toMatchObject({ stdout: "next\n" });
  });

  test("is gone when the sandbox is disposed of", async () => {
    const { sandbox } = await openForTest(onRung(rung));
    await sandbox.exec("true");
    const before = descendants(process.pid);
    expect(before.length).toBeGreaterThan(0);
    await sandbox.dispose();
    // In a jail the last threads may still be on their way out when its first process has gone.
    await until(() => !before.some(isAlive));
  });

  test("does not outlive a parent that is killed while the guest spins", async () => {
    const directory = tempDir();
    const host = spawn(process.execPath, ["--input-type=module", "-e", hostScript(rung, directory)]);
    try {
      await once(host.stdout, "data");
      const pids = descendants(host.pid ?? 0);
      expect(pids.length).toBeGreaterThan(0);
      host.kill("SIGKILL");
      await until(() => pids.every((pid) => !isAlive(pid)));
    } finally {
      host.kill("SIGKILL");
    }
  });

  test("reports its rung, the ladder, and each wall that it claims as holding", async () => {
    const { sandbox, events } = await openForTest(onRung(rung));
    await sandbox.exec("true");
    const { rung: reported, layers, walls } = await sandbox.isolation();
    expect(reported).toBe(rung);
    expect(layers?.map(({ name, on }) => [name, on])).toEqual([
      ...["process", "hardened", "namespace"].map((name, at, ladder) => [name, at <= ladder.indexOf(rung)]),
      ["seccomp", rung === "namespace"],
    ]);
    const states = walls.map(({ name, state }) => [name.replace(" against an escaped guest", ""), state]);
    const claimed = rung === "process" ? "not-claimed" : "holds";
    expect(Object.fromEntries(states)).toEqual({
      "environment of the worker": "holds",
      "environment of the parent": claimed,
      "environment of process 1": claimed,
      "host files outside the mounts": claimed,
      "host files through a link in a mount": claimed,
      "other programs": claimed,
      "threads without these walls": claimed,
      network: claimed,
      "signals to the parent": claimed,
      "system calls": rung === "namespace" ? "holds" : "not-claimed",
      "inspector of the parent": "holds",
    });
    await sandbox.exec("true");
    expect(events.filter(({ type }) => type === "harness.runtime.command.completed").at(-1)).toMatchObject({
      isolation: { rung, walls },
    });
  });

  test("has a network if the workspace allows one, and claims no wall there", async () => {
    const server = createServer((_, response) => response.end("from the server"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    try {
      const url = `http://127.0.0.1:${port}/`;
      const { sandbox } = await openForTest({ ...onRung(rung), network: { allowOnlyUrlPrefixes: [url] } });
      expect(await sandbox.exec(`curl -s ${url}`)).toMatchObject({ stdout: "from the server" });
      const { walls } = await sandbox.isolation();
      expect(walls.find(({ name }) => name.startsWith("network"))).toMatchObject({ state: "not-claimed" });
    } finally {
      server.close();
    }
  });
});

describe("a rung that cannot be given", () => {
  test("is an error of the first call, with the reason, and nothing was started", async () => {
    const folder = tempDir();
    for (const name of ["x", "xy"]) mkdirSync(join(folder, name));
    const { sandbox } = await openForTest({
      mounts: { "/a": join(folder, "x"), "/b": join(folder, "xy") },
      ...onRung("hardened"),
    });
    const before = descendants(process.pid);
    await expect(sandbox.fs.readdir("/a")).rejects.toMatchObject({
      code: "ISOLATION_UNAVAILABLE",
      data: { isolation: "hardened", reason: expect.stringContaining("whose names start alike") as string },
    });
    expect(await sandbox.exec("true")).toMatchObject({
      exitCode: 126,
      ending: { kind: "refused", by: "policy" },
    });
    expect(descendants(process.pid)).toEqual(before);
  });

  test.each(["hardened", "namespace"] as const)(
    "%s: refused when a script could change the worker's code",
    async (isolation) => {
      const { sandbox } = await openForTest({ mounts: { "/w": root }, ...onRung(isolation) });
      await expect(sandbox.isolation()).rejects.toMatchObject({
        code: "ISOLATION_UNAVAILABLE",
        message: expect.stringContaining("holds the worker's own code") as string,
      });
    },
  );

  test("namespace: refused when the Node.js is none that can be put into a jail", async () => {
    const nodePath = join(tempDir(), "node");
    writeFileSync(nodePath, "#!/bin/sh\n", { mode: 0o755 });
    const { sandbox } = await openForTest({ isolation: "namespace", nodePath });
    await expect(sandbox.isolation()).rejects.toMatchObject({ code: "ISOLATION_UNAVAILABLE" });
  });

  test("namespace: refused, and auto goes on below, where the system gives no user namespaces", async ({
    skip,
  }) => {
    // A namespace whose own limit is none, entered without the rights of root.
    const inside = ["-Ur", "sh", "-c", NO_NAMESPACES, "sh", process.execPath, "--input-type=module", "-e"];
    const { stdout, stderr, exitCode } = await execa("unshare", [...inside, reportScript(tempDir())], {
      reject: false,
    });
    if (exitCode !== 0) skip(`no such place can be made here: ${stderr}`);
    const [named, auto] = JSON.parse(stdout) as [{ code: string; reason: string }, IsolationReport];
    expect(named.code).toBe("ISOLATION_UNAVAILABLE");
    expect(named.reason).toMatch(/^bubblewrap (?:cannot make a jail here|is not installed)/);
    expect(auto.rung).toBe("hardened");
    expect(auto.layers?.find(({ name }) => name === "namespace")).toEqual({
      name: "namespace",
      on: false,
      reason: named.reason,
    });
  });

  test("an unknown rung is refused by name at once", () => {
    expect(() => subprocessSandbox({ isolation: "jail" as "process" })).toThrow(
      'Option "isolation" must be one of "process", "hardened", "namespace", "auto", but is "jail".',
    );
  });
});

test("auto takes the strongest rung that starts, and says why not a stronger one", async () => {
  const folder = tempDir();
  const { sandbox } = await openForTest({ ...onRung("process"), isolation: "auto" });
  expect((await sandbox.isolation()).rung).toBe(rungs.at(-1));

  for (const name of ["x", "xy"]) mkdirSync(join(folder, name));
  const { sandbox: other } = await openForTest({
    mounts: { "/a": join(folder, "x"), "/b": join(folder, "xy"), "/own": root },
    ...onRung("process"),
    isolation: "auto",
  });
  const { rung, layers } = await other.isolation();
  expect(rung).toBe("process");
  expect(layers?.slice(1)).toMatchObject([
    { name: "hardened", on: false, reason: expect.stringContaining("own code") as string },
    { name: "namespace", on: false, reason: expect.stringContaining("own code") as string },
    { name: "seccomp", on: false },
  ]);
});

test.skipIf(noNamespace !== null)(
  `nothing in a jail tells where on the host its mounts lie${note}`,
  async () => {
    const { sandbox, directory } = await openForTest(onRung("namespace"));
    await sandbox.exec("true");
    const inside = descendants(process.pid);
    const commandLines = inside.map((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1"));
    expect(commandLines.length).toBeGreaterThan(1);
    expect(commandLines.join("\n")).not.toContain(directory);
  },
);

const NO_NAMESPACES =
  'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all "$@"';

/** A host that prints the error of the rung namespace and the report of auto. */
function reportScript(directory: string): string {
  return `
    import { openSandbox } from ${JSON.stringify(pathToFileURL(join(root, "dist/index.js")).href)};
    const open = (isolation) =>
      openSandbox({ mounts: { "/w": ${JSON.stringify(directory)} }, sandbox: "subprocess", isolation });
    const named = await (await open("namespace")).isolation().catch(({ code, data }) => ({ code, reason: data.reason }));
    const sandbox = await open("auto");
    console.log(JSON.stringify([named, await sandbox.isolation()]));
    await sandbox.dispose();
  `;
}

/** A host that opens a sandbox, lets its guest spin, and says so. */
function hostScript(rung: Rung, directory: string): string {
  return `
    import { openSandbox } from ${JSON.stringify(pathToFileURL(join(root, "dist/index.js")).href)};
    const sandbox = await openSandbox({
      mounts: { "/w": ${JSON.stringify(directory)} }, sandbox: "subprocess", ...${JSON.stringify(onRung(rung))},
    });
    await sandbox.exec("echo up; while true; do :; done", { onStdout: () => process.stdout.write("up") });
  `;
}
