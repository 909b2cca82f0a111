import { createSocket } from "node:dgram";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { root } from "../../build/paths.ts";
import { openSandbox } from "../../src/index.ts";
import { FROM_INPUTS } from "../../src/parent/isolation/jail-arguments.ts";
import { namespaceLaunch } from "../../src/parent/isolation/namespace.ts";
import { onRung, type Rung, testNode } from "./rungs.ts";

/** A script that may run in a thread; in the copy of the worker it is the guest's. */
const REPLACED = "engine/bundle/chunks/sqlite3-worker.js";

/** What an escaped guest did on a rung: attack → whether it came away with the secret. */
export type Outcomes = ReadonlyMap<string, { readonly got: boolean; readonly why: string }>;

/** All that a guest is after, planted around a sandbox. */
export interface Treasure {
  readonly secret: string;
  readonly folder: string;
  readonly task: Record<string, unknown>;
  /** Attacks whose datagrams have come to the host since the last question. */
  arrivals(): Promise<ReadonlySet<string>>;
  remove(): void;
}

/** Plants the secret in a file, in a sibling's mount, in a local server and in this process's environment. */
export async function plantTreasure(secret: string): Promise<Treasure> {
  const folder = mkdtempSync(join(tmpdir(), "escaped-guest-"));
  // The sibling's name continues the mount's: rights that go by the start of a path would let it through.
  for (const name of ["mount", "mount-sibling", "outside", "docs"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "outside/secret"), secret);
  writeFileSync(join(folder, "mount-sibling/secret"), secret);
  const server = createServer((_, response) => response.end(secret));
  const port = await listen(server);
  const datagrams = createSocket("udp4");
  const udpPort = await new Promise<number>((resolve) => {
    datagrams.bind(0, "127.0.0.1", () => resolve(datagrams.address().port));
  });
  let arrived = new Set<string>();
  datagrams.on("message", (bytes) => {
    const text = bytes.toString("latin1");
    if (text === secret) arrived.add("a datagram");
    else if (text.includes(secret)) arrived.add("a name server");
  });
  return {
    secret,
    folder,
    async arrivals() {
      // One of our own at the end: what was sent before has come before it.
      await new Promise<void>((resolve) => {
        datagrams.on("message", (bytes) => bytes.toString() === "end" && resolve());
        datagrams.send("end", udpPort, "127.0.0.1");
      });
      const seen = arrived;
      arrived = new Set();
      return seen;
    },
    task: {
      secret,
      parentPid: process.pid,
      secretFile: join(folder, "outside/secret"),
      siblingFile: join(folder, "mount-sibling/secret"),
      port,
      udpPort,
    },
    remove() {
      server.close();
      server.closeAllConnections();
      datagrams.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
      else reject(new Error("the server has no port"));
    });
  });
}

/** Starts a worker on the rung that is the guest's own code, and returns what its attacks gave. */
export async function runEscapedGuest(
  rung: Rung,
  treasure: Treasure,
  attacks?: readonly string[],
): Promise<Outcomes> {
  const worker = prepareWorker(treasure, rung === "namespace", attacks);
  let said = "";
  const sandbox = await openSandbox({
    mounts: {
      "/w": join(treasure.folder, "mount"),
      "/docs": { path: join(treasure.folder, "docs"), access: "ro" },
    },
    sandbox: "subprocess",
    workerPath: worker.file,
    onDiagnostic: (text) => {
      said += text;
    },
    ...onRung(rung),
  });
  try {
    await sandbox.exec("true");
    return toOutcomes(said, await treasure.arrivals());
  } finally {
    await sandbox.dispose();
    worker.remove();
  }
}

/**
 * The jail of the rung `namespace` around a Node.js without any of the flags that stand inside it otherwise, with or
 * without the filter of system calls.
 */
export async function runInBareJail(
  treasure: Treasure,
  attacks: readonly string[],
  filter: "behind the filter" | "no filter",
): Promise<Outcomes> {
  const worker = prepareWorker(treasure, true, attacks);
  const launch = await namespaceLaunch({
    workerFile: worker.file,
    nodePath: testNode ?? process.execPath,
    ownNode: testNode === undefined,
    execArgv: [],
    env: {},
    mounts: [
      { backingPath: join(treasure.folder, "mount"), access: "rw" },
      { backingPath: join(treasure.folder, "docs"), access: "ro" },
    ],
    network: false,
  });
  if ("unavailable" in launch) throw new Error(launch.unavailable);
  const unfiltered = filter === "no filter";
  const jail = unfiltered ? ["--args", "4", "--", ...launch.args.slice(FROM_INPUTS.length)] : launch.args;
  const bare = jail.filter(
    (argument) => !/^--(?:allow|import|no-|disable|experimental|permission)/.test(argument),
  );
  const inputs = unfiltered ? launch.inputs.slice(0, 1) : launch.inputs;
  try {
    const { stderr } = await execa(launch.command, bare, {
      env: launch.env,
      extendEnv: false,
      cwd: launch.cwd,
      stdio: ["pipe", "pipe", "pipe", "pipe", ...inputs.map((input): [Uint8Array] => [input])],
      reject: false,
    });
    return toOutcomes(stderr, await treasure.arrivals());
  } finally {
    worker.remove();
  }
}

/** A copy of the worker whose main file is the guest's; the rung goes with the folder it lies in. */
function prepareWorker(
  treasure: Treasure,
  jailed: boolean,
  attacks: readonly string[] | undefined,
): { file: string; remove(): void } {
  const worker = mkdtempSync(join(tmpdir(), "escaped-worker-"));
  const fixture = join(root, "test/fixtures/escaped-guest");
  cpSync(join(root, "dist/worker"), worker, {
    recursive: true,
    filter: (path) => !/vendor|\.wasm$/.test(path),
  });
  for (const file of ["main.mjs", "fork.mjs"]) copyFileSync(join(fixture, file), join(worker, file));
  copyFileSync(join(fixture, "thread.mjs"), join(worker, REPLACED));
  const folder = jailed ? "/worker" : worker;
  const task = {
    ...treasure.task,
    attacks,
    mount: jailed ? "/m/0" : join(treasure.folder, "mount"),
    readOnlyMount: jailed ? "/m/1" : join(treasure.folder, "docs"),
    replacedThread: `${folder}/${REPLACED}`,
    ownThread: `${folder}/lifeline.js`,
  };
  writeFileSync(join(worker, "task.json"), JSON.stringify(task));
  return {
    file: join(worker, "main.mjs"),
    remove() {
      rmSync(worker, { recursive: true, force: true });
      rmSync(join(treasure.folder, "mount/link"), { force: true });
    },
  };
}

/** The attacks that are over when something has come to the host. */
const BY_DATAGRAM = ["a datagram", "a name server"];

/** Reads what the guest wrote; of a datagram counts whether it came, not what its sender thinks. */
function toOutcomes(said: string, arrivals: ReadonlySet<string>): Outcomes {
  const outcomes = new Map<string, { got: boolean; why: string }>();
  for (const line of said.split("\n").filter((text) => text.startsWith('{"name"'))) {
    const { name, loot, failed } = JSON.parse(line) as { name: string; loot?: boolean; failed?: string };
    const got = BY_DATAGRAM.includes(name) ? arrivals.has(name) : loot === true;
    outcomes.set(name, { got, why: failed ?? "" });
  }
  if (outcomes.size === 0) throw new Error(`the escaped guest did not run: ${said}`);
  return outcomes;
}
