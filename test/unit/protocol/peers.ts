/** Two ends of the wire in one process, and one end against a peer that the test scripts frame by frame. */
import {
  type Channel,
  type ChannelLimits,
  createChannel,
  type Handlers,
} from "../../../src/protocol/channel.ts";
import { decodeFrame, encodeFrames } from "../../../src/protocol/codec.ts";
import { FrameReader } from "../../../src/protocol/frame.ts";
import type { Frame } from "../../../src/protocol/frame-kinds.ts";
import type {
  ExecParams,
  FsParams,
  OpenParams,
  ParentRequests,
  WorkerRequests,
} from "../../../src/protocol/messages.ts";
import type { ProtocolError } from "../../../src/protocol/protocol-error.ts";
import { joinBytes } from "../../../src/shared/join-bytes.ts";

export const HELLO = { version: 1, buildId: "build-1" } as const;
export const BIG_FRAME = 4_194_304;

export const openParams: OpenParams = {
  workspace: {
    mounts: [
      { path: "/w", backingPath: "/host/w", access: "rw", watched: true, readOnlyPrefixes: ["/w/keep"] },
    ],
    cwd: "/w",
    python: true,
    javascript: false,
    network: { allowOnlyUrlPrefixes: ["https://example.com/"], allowOnlyMethods: ["GET"] },
  },
  tools: true,
  tripWires: ["git"],
  executionLimits: { maxCommandCount: 10 },
  maxMemoryMb: 1_024,
  maxWriteBytes: 10_737_418_240,
};

export const execParams: ExecParams = {
  scriptBytes: 4,
  stdinBytes: null,
  cwd: null,
  env: { HOME: "/w" },
  replaceEnv: false,
  args: ["a b"],
  nested: false,
  readOnlyPrefixes: [],
};

export const fsParams: FsParams = {
  op: "read",
  path: "/w/a",
  other: null,
  recursive: false,
  force: false,
  mode: null,
  readOnlyPrefixes: [],
};

export const exited = { exitCode: 0, ending: "exited", why: "", stateChanged: false } as const;
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (from: Uint8Array): string => new TextDecoder().decode(from);

/** A worker that answers everything at once. */
const easyWorker: Handlers<ParentRequests> = {
  open: async () => ({ value: { engine: "e", defense: "d", stateRestored: false } }),
  exec: async () => ({ value: exited }),
  fs: async (_params, call) => ({ value: {}, body: call.body }),
  isolation: async () => ({ value: {} }),
};

export const easyParent: Handlers<WorkerRequests> = {
  "tool.call": async (_params, call) => ({ value: {}, body: call.body }),
  touch: async () => ({ value: {} }),
};

/** Cuts bytes before they are delivered. */
export type Split = (bytes: Uint8Array) => Iterable<Uint8Array>;

/** Bytes on their way, delivered in order, each in a microtask of its own as a pipe would. */
function deliverTo(receive: (bytes: Uint8Array) => void, split: Split): (bytes: Uint8Array) => void {
  return (written) => {
    for (const piece of split(written)) {
      // A copy: what arrives shares no memory with what was sent.
      const arriving = new Uint8Array(piece);
      queueMicrotask(() => receive(arriving));
    }
  };
}

export interface Pair {
  parent: Channel<ParentRequests>;
  worker: Channel<WorkerRequests>;
  broken: ProtocolError[];
}

/** Two started channels on one wire. */
export function pair(
  options: {
    worker?: Partial<Handlers<ParentRequests>>;
    parent?: Partial<Handlers<WorkerRequests>>;
    limits?: Partial<ChannelLimits>;
    split?: Split;
  } = {},
): Pair {
  const broken: ProtocolError[] = [];
  const split = options.split ?? ((whole) => [whole]);
  const shared = {
    limits: options.limits ?? {},
    onBroken: (error: ProtocolError) => void broken.push(error),
  };
  const parent: Channel<ParentRequests> = parentEnd({
    ...shared,
    write: deliverTo((arrived) => worker.receive(arrived), split),
    handlers: options.parent ?? {},
  });
  const worker: Channel<WorkerRequests> = workerEnd({
    ...shared,
    write: deliverTo((arrived) => parent.receive(arrived), split),
    handlers: options.worker ?? {},
  });
  parent.start();
  worker.start();
  return { parent, worker, broken };
}

/** What a test sees of one end whose peer it plays. */
export interface Scripted {
  /** Frames that the end has written, in order. */
  sent: Frame[];
  broken: ProtocolError[];
  /** Delivers frames to the end, all in one piece. */
  deliver(...frames: unknown[]): void;
}

function scripted(receive: (bytes: Uint8Array) => void): Scripted & { take(written: Uint8Array): void } {
  const sent: Frame[] = [];
  const reader = new FrameReader(BIG_FRAME, (payload) => sent.push(decodeFrame(payload)));
  return {
    sent,
    broken: [],
    take: (written) => reader.push(written),
    deliver: (...frames) => receive(wire(...frames)),
  };
}

interface EndOptions<In extends { [N in keyof In]: { params: object; result: object } }> {
  write: (bytes: Uint8Array) => void | Promise<void>;
  limits?: Partial<ChannelLimits>;
  handlers?: Partial<Handlers<In>>;
  onBroken?: (error: ProtocolError) => void;
}

/** A parent over a transport of the test's own; not started. */
export function parentEnd(options: EndOptions<WorkerRequests>): Channel<ParentRequests> {
  return createChannel<ParentRequests, WorkerRequests>({
    side: "parent",
    hello: HELLO,
    limits: options.limits ?? {},
    write: (bytes, body) => options.write(body === undefined ? bytes : joinBytes([bytes, body])),
    handlers: { ...easyParent, ...options.handlers },
    onBroken: options.onBroken ?? (() => undefined),
  });
}

/** A worker over a transport of the test's own; not started. */
export function workerEnd(options: EndOptions<ParentRequests>): Channel<WorkerRequests> {
  return createChannel<WorkerRequests, ParentRequests>({
    side: "worker",
    hello: HELLO,
    limits: options.limits ?? {},
    write: (bytes, body) => options.write(body === undefined ? bytes : joinBytes([bytes, body])),
    handlers: { ...easyWorker, ...options.handlers },
    onBroken: options.onBroken ?? (() => undefined),
  });
}

/** Frames as a peer would write them, good or not. */
export const wire = (...frames: unknown[]): Uint8Array => encodeFrames(frames as Frame[], BIG_FRAME);

/** A parent whose worker is the test. */
export function parentAgainst(
  options: { parent?: Partial<Handlers<WorkerRequests>>; limits?: Partial<ChannelLimits> } = {},
): Scripted & { channel: Channel<ParentRequests> } {
  const peer = scripted((arrived) => channel.receive(arrived));
  const channel: Channel<ParentRequests> = parentEnd({
    limits: options.limits ?? {},
    write: peer.take,
    handlers: options.parent ?? {},
    onBroken: (error) => void peer.broken.push(error),
  });
  channel.start();
  return Object.assign(peer, { channel });
}

/** A worker whose parent is the test. */
export function workerAgainst(
  options: { worker?: Partial<Handlers<ParentRequests>>; limits?: Partial<ChannelLimits> } = {},
): Scripted & { channel: Channel<WorkerRequests> } {
  const peer = scripted((arrived) => channel.receive(arrived));
  const channel: Channel<WorkerRequests> = workerEnd({
    limits: options.limits ?? {},
    write: peer.take,
    handlers: options.worker ?? {},
    onBroken: (error) => void peer.broken.push(error),
  });
  channel.start();
  return Object.assign(peer, { channel });
}

/** Lets every microtask that is due run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
