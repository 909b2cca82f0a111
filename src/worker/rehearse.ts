/**
 * One sandbox from its first frame to its last, both ends of the wire in this process, over the worker's own folder,
 * to be read only: so that the code of a first command is compiled, and has run, before there is one. Nothing of it
 * stays but that.
 */
import { fileURLToPath } from "node:url";
import { createChannel } from "../protocol/channel.ts";
import type { Channel } from "../protocol/channel-contract.ts";
import type { ParentRequests, WorkerRequests } from "../protocol/messages.ts";
import type { ProbeTask } from "../protocol/probe-task.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import { createServer, type ServeOptions } from "./serve.ts";

/** What most first commands use; nothing that loads a language. */
const SCRIPTS = [
  "true",
  'x=$(echo a | cat); if [ "$x" = a ]; then for i in 1 2; do ls / . >/dev/null; done; fi; f() { echo "$1"; }; f b >&2',
  "true",
];

const OWN = {
  path: "/own",
  backingPath: fileURLToPath(new URL(".", import.meta.url)),
  access: "ro" as const,
  watched: false,
  readOnlyPrefixes: [],
};

const OPEN: ParentRequests["open"]["params"] = {
  workspace: { mounts: [OWN], cwd: "/own", python: true, javascript: true, network: null },
  tools: true,
  tripWires: [],
  executionLimits: {},
  maxMemoryMb: 4096,
  maxWriteBytes: 1,
};

/** As on the rung `process`: nothing is tried. */
const PROBE: ProbeTask = {
  claimed: false,
  network: false,
  parentPid: 1,
  outsideFile: null,
  port: null,
  scratch: null,
};

const EXEC = {
  stdinBytes: null,
  cwd: null,
  env: null,
  replaceEnv: false,
  args: [],
  nested: false,
  readOnlyPrefixes: [],
};

/** Rejects when something of it goes wrong. */
export async function rehearse(engine: ServeOptions["engine"]): Promise<void> {
  let fail = (_: Error): void => undefined;
  const broken = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const hello = { version: PROTOCOL_VERSION, buildId: "" };
  const parent: Channel<ParentRequests> = createChannel<ParentRequests, WorkerRequests>({
    side: "parent",
    hello,
    write: (bytes, body) => carry(worker, bytes, body),
    handlers: { "tool.call": async () => ({ value: {} }), touch: async () => ({ value: {} }) },
    onBroken: fail,
  });
  const server = createServer({
    engine,
    takePrepared: async () => null,
    callTool: async () => new Uint8Array(0),
    touchPaths: (execId, paths) => worker.request("touch", { execId, paths }),
    watcher: { limitMemory: () => undefined, work: () => () => undefined },
  });
  const worker: Channel<WorkerRequests> = createChannel<WorkerRequests, ParentRequests>({
    side: "worker",
    hello,
    write: (bytes, body) => carry(parent, bytes, body),
    handlers: server.handlers,
    onBroken: fail,
  });
  worker.start();
  parent.start();
  try {
    await Promise.race([play(parent), broken]);
  } finally {
    // A shell that waits for its next script holds the engine's defenses up.
    server.close();
  }
}

async function play(parent: Channel<ParentRequests>): Promise<void> {
  await parent.request("open", OPEN);
  await parent.request("isolation", {}, { body: new TextEncoder().encode(JSON.stringify(PROBE)) });
  for (const script of SCRIPTS) {
    const body = new TextEncoder().encode(script);
    const { value } = await parent.request("exec", { ...EXEC, scriptBytes: body.length }, { body });
    if (value.exitCode !== 0) throw new Error(`a script ended with ${value.exitCode} (${value.why})`);
  }
}

/** The buffer of a write is used again by its sender. */
function carry(to: { receive(bytes: Uint8Array): void }, ...parts: (Uint8Array | undefined)[]): void {
  for (const part of parts) {
    const copy = part?.slice();
    if (copy !== undefined) queueMicrotask(() => to.receive(copy));
  }
}
