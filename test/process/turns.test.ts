/** Turns of a local host with the sandboxes that it has itself. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type HarnessTurnEvent, type LocalHostOptions, subprocessSandbox } from "../../src/index.ts";
import { hostForTest, turnOnDisk, typesOf } from "../helpers/hosts.ts";
import { descendants, workerPids } from "../helpers/processes.ts";
import { failOnStrays } from "../helpers/strays.ts";

failOnStrays();

const NO_CODE = { python: false, javascript: false };

/** What an application could miss, and what an engine in the same process could have replaced. */
function globalsNow(): Map<string, unknown> {
  const owners = { globalThis, process, Object, Function, Promise, Array, Error, JSON, Math, console };
  const all: Record<string, object> = { ...owners };
  for (const [name, owner] of Object.entries(owners))
    if ("prototype" in owner) all[`${name}.prototype`] = owner.prototype as object;
  const now = new Map<string, unknown>();
  for (const [name, owner] of Object.entries(all)) {
    for (const key of Reflect.ownKeys(owner)) {
      const descriptor = Object.getOwnPropertyDescriptor(owner, key);
      // What Node.js itself counts on its own process object is no one's to keep.
      if (name === "process" && typeof descriptor?.value !== "function") continue;
      if (String(key).includes("jest")) continue;
      // Read, and not described: Node.js makes some of its globals when they are first read.
      now.set(`${name}.${String(key)}`, descriptor?.get === undefined ? descriptor?.value : read(owner, key));
    }
  }
  now.set("env", process.env);
  now.set("names in env", Object.keys(process.env).join());
  now.set("cwd", process.cwd());
  now.set(
    "listeners",
    process
      .eventNames()
      // One of ours waits there with the private directories of sandboxes that nobody disposed of.
      .filter((name) => name !== "exit")
      .map((name) => `${String(name)} ${process.listenerCount(name)}`)
      .join(),
  );
  return now;
}

function read(owner: object, key: string | symbol): unknown {
  try {
    return Reflect.get(owner, key);
  } catch {
    // An accessor of a prototype that wants an instance.
    return Object.getOwnPropertyDescriptor(owner, key)?.get;
  }
}

/** Names of what is not the same object. */
function differences(before: Map<string, unknown>, after: Map<string, unknown>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => !Object.is(before.get(name), after.get(name)));
}

test("a turn without Python and JavaScript starts no process, and the application's globals stay as they are", async () => {
  const host = hostForTest();
  const children = descendants(process.pid);
  globalsNow();
  const before = globalsNow();
  const turn = await host.prepareTurn({ runtime: NO_CODE });
  expect(turn.sandboxMode).toBe("just-bash");
  const sandbox = await turn.sandbox();
  let during = new Map<string, unknown>();
  let started: number[] = [];
  const result = await sandbox.exec(
    "for i in 1 2 3; do echo $i | tee -a a.txt; sleep 0.01; done; sort -r a.txt; python3 -c 1; js-exec -c 1",
    {
      onStdout: () => {
        during = globalsNow();
        started = descendants(process.pid);
      },
    },
  );
  expect(result.stdout).toBe("1\n2\n3\n3\n2\n1\n");
  expect(differences(before, during)).toEqual([]);
  expect(started).toEqual(children);
  await sandbox.fs.readFile("/session/a.txt");
  await turn.dispose();
  expect(differences(before, globalsNow())).toEqual([]);
  expect(descendants(process.pid)).toEqual(children);
});

test("the look at processes and globals sees both", async () => {
  const before = globalsNow();
  const child = spawn("sleep", ["60"]);
  expect(descendants(process.pid)).toContain(child.pid);
  child.kill();
  const { setTimeout: real } = globalThis;
  globalThis.setTimeout = ((...args: Parameters<typeof real>) => real(...args)) as typeof real;
  const differs = differences(before, globalsNow());
  globalThis.setTimeout = real;
  expect(differs).toEqual(["globalThis.setTimeout"]);
});

test.each<[LocalHostOptions["sandbox"], object, string]>([
  ["auto", { python: false }, "subprocess"],
  ["auto", { javascript: false }, "subprocess"],
  ["auto", NO_CODE, "just-bash"],
  ["subprocess", NO_CODE, "subprocess"],
  ["just-bash", {}, "just-bash"],
])("the mode %s with the runtime %j of the turn is %s", async (sandbox, runtime, mode) => {
  const host = hostForTest({ sandbox });
  await using turn = await host.prepareTurn({ runtime });
  expect(turn.sandboxMode).toBe(mode);
  expect(turn.workspace.capabilities).toEqual({ python: true, javascript: true, ...runtime });
});

test.each<[string, object, string, number, LocalHostOptions["sandbox"]?]>([
  ["auto", {}, "subprocess", 1],
  ["just-bash", {}, "just-bash", 0],
  ["of a factory", NO_CODE, "custom", 1, subprocessSandbox()],
])(
  "a turn in mode %s with the runtime %j runs in %s, with %i workers, and none before and after",
  async (given, runtime, mode, workers, factory) => {
    const host = hostForTest({ sandbox: factory ?? (given as "auto") });
    const turn = await host.prepareTurn({ runtime });
    expect(turn.sandboxMode).toBe(mode);
    expect(workerPids()).toHaveLength(0);
    await (await turn.sandbox()).exec("true");
    expect(workerPids()).toHaveLength(workers);
    await turn.dispose();
    expect(workerPids()).toHaveLength(0);
  },
);

test.each(["subprocess", "just-bash"] as const)(
  "the workspace of a turn, in mode %s, is the session's",
  async (sandbox) => {
    const host = hostForTest({ sandbox });
    const session = await host.createSession();
    writeFileSync(join(session.agentsDir, "rules.md"), "rules");
    const turn = await host.prepareTurn({
      session,
      persistentDirs: [
        { name: "facts", access: "ro" },
        { name: "notes", access: "rw" },
      ],
    });
    writeFileSync(join(session.persistentDir, "facts/a.txt"), "fact");
    const bash = await turn.sandbox();
    const run = async (script: string): Promise<string> => {
      const { stdout, stderr, exitCode } = await bash.exec(script);
      return `${stdout}${stderr}${exitCode}`;
    };
    expect(
      await run("pwd; ls -d /* | tr '\\n' ' '; echo; cat /.agents/rules.md /persistent/facts/a.txt"),
    ).toMatch(/^\/session\n.*\/artifacts .*\/persistent .*\/session .*\nrulesfact0$/);
    expect(
      await run("echo 1 > a; echo 2 > /artifacts/b; echo 3 > /persistent/notes/c; echo 4 > /persistent/d"),
    ).toBe("0");
    expect(await run("echo x > /.agents/new")).toBe("bash: /.agents/new: Read-only file system\n1");
    expect(await run("echo x > /persistent/facts/new")).toBe(
      "bash: /persistent/facts/new: Read-only file system\n1",
    );
    for (const script of [
      "mv /persistent/facts /persistent/other",
      "rm -r /persistent/facts",
      "ln -s /persistent/facts/a.txt /session/l; echo x > /session/l",
    ])
      expect(await run(script)).toMatch(/Read-only file system\n1$/);
    await turn.dispose();
    expect(readFileSync(join(session.persistentDir, "facts/a.txt"), "utf8")).toBe("fact");
    const files = turnOnDisk(host, turn).events.flatMap((event) =>
      "path" in event ? [`${event.type.slice(13)} ${event.path}`] : [],
    );
    expect(files.filter((line) => !line.includes("/session/l")).sort()).toEqual(
      [
        "created /artifacts/b",
        "created /persistent/d",
        "created /persistent/notes/c",
        "created /session/a",
      ].sort(),
    );
  },
);

test.each(["subprocess", "just-bash"] as const)(
  "an artifact is told once, by the host, also when scripts see it, in mode %s",
  async (sandbox) => {
    const host = hostForTest({ sandbox });
    const events: HarnessTurnEvent[] = [];
    const turn = await host.prepareTurn({ onEvent: (event) => events.push(event) });
    const bash = await turn.sandbox();
    await bash.exec("echo 1 > /artifacts/one");
    const { path } = await turn.artifact("two", "2\n");
    expect(await bash.exec(`cat ${path}; ls /artifacts`)).toMatchObject({ stdout: "2\none\ntwo\n" });
    await turn.artifact("three", "3\n");
    await turn.dispose();
    const told = events.flatMap((event) => ("path" in event ? [`${event.path} ${event.source}`] : []));
    expect(told).toEqual(["/artifacts/one command", "/artifacts/two host", "/artifacts/three host"]);
  },
);

test("what a turn that was killed had changed is told by the next turn of the session", async () => {
  const host = hostForTest();
  const session = await host.createSession();
  const program = join(host.dataDir, "host.mjs");
  writeFileSync(
    program,
    `import { localHost } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
     const host = localHost({ dataDir: ${JSON.stringify(host.dataDir)} });
     const turn = await host.prepareTurn({ session: ${JSON.stringify(session.id)} });
     await (await turn.sandbox()).exec("echo 1 > a; echo ready; sleep 60", { onStdout: (chunk) => process.stdout.write(chunk) });`,
  );
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  await expect(host.prepareTurn({ session })).rejects.toMatchObject({
    code: "SESSION_BUSY",
    data: { pid: child.pid },
  });
  const gone = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await gone;
  const turn = await host.prepareTurn({ session });
  expect(await (await turn.sandbox()).exec("cat a")).toMatchObject({ stdout: "1\n" });
  await turn.dispose();
  const { events } = turnOnDisk(host, turn);
  expect(events.find((event) => "path" in event)).toMatchObject({ path: "/session/a", recovered: true });
});

test("links in a session's own directories lead nowhere outside", async () => {
  const host = hostForTest();
  const session = await host.createSession();
  const outside = join(host.dataDir, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "secret");
  symlinkSync(outside, join(session.sessionDir, "out"));
  await using turn = await host.prepareTurn({ session, runtime: NO_CODE });
  const result = await (await turn.sandbox()).exec("cat out/secret; ls ..; cat ../session.json ../turn.lock");
  expect(result.stdout).not.toContain("secret");
  expect(result.stdout).not.toContain("turn.lock");
  expect(typesOf(turnOnDisk(host, turn).events)[0]).toBe("turn.started");
});
