/**
 * `dist/worker/make-code-cache.js`: a process of its own that runs no guest. It loads the core, has it serve one
 * sandbox over no mounts, as its parent would, and writes V8's compiled form of what was used to descriptor 1. A
 * worker that gets these bytes compiles nothing of that again.
 */
import { createChannel } from "../protocol/channel.ts";
import type { ParentRequests, WorkerRequests } from "../protocol/messages.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import { loadCore } from "./load-core.ts";
import { makeNeutral } from "./neutral-process.ts";
import { original } from "./originals.ts";
import { takeStdio } from "./take-stdio.ts";

declare const __BUILD_ID__: string;

/** What most scripts use first; nothing that loads a language. */
const SCRIPTS = [
  "true",
  'x=$(echo a | cat); if [ "$x" = a ]; then for i in 1 2; do ls / >/dev/null; done; fi; f() { echo "$1"; }; f b >&2',
];

const OPEN: ParentRequests["open"]["params"] = {
  workspace: { mounts: [], cwd: "/", python: true, javascript: true, network: null },
  tools: false,
  tripWires: [],
  executionLimits: {},
  maxMemoryMb: 4096,
  maxWriteBytes: 1,
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

const out = takeStdio();
makeNeutral();
const core = loadCore(new URL("./engine/bundle/chunks/", import.meta.url), null);
let toWorker = (_: Uint8Array): void => undefined;
const parent = createChannel<ParentRequests, WorkerRequests>({
  side: "parent",
  hello: { version: PROTOCOL_VERSION, buildId: __BUILD_ID__ },
  write: (bytes) => queueMicrotask(() => toWorker(bytes.slice())),
  handlers: { "tool.call": async () => ({ value: {} }), touch: async () => ({ value: {} }) },
  onBroken: fail,
});
core.connect()(
  {
    write: (bytes) => {
      const copy = bytes.slice();
      queueMicrotask(() => parent.receive(copy));
    },
    listen: (onBytes) => {
      toWorker = onBytes;
    },
  },
  new URL("./lifeline.js", import.meta.url),
  () => original.exit(1),
);
parent.start();
try {
  await parent.request("open", OPEN);
  for (const script of SCRIPTS) {
    const body = new TextEncoder().encode(script);
    const { value } = await parent.request("exec", { ...EXEC, scriptBytes: body.length }, { body });
    if (value.exitCode !== 0) throw new Error(`a script ended with ${value.exitCode} (${value.why})`);
  }
  out.write(core.createCodeCache());
  original.exit(0);
} catch (error) {
  fail(error instanceof Error ? error : new Error(String(error)));
}

function fail(error: Error): never {
  console.error(`little-harness code cache: ${error.message}`);
  return original.exit(1);
}
