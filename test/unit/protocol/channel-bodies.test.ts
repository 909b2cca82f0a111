import { expect, test } from "vitest";
import { BodyBudget, BodyCollector } from "../../../src/protocol/body.ts";
import { DEFAULT_LIMITS } from "../../../src/protocol/channel-contract.ts";
import { decodeFrame } from "../../../src/protocol/codec.ts";
import { FrameReader } from "../../../src/protocol/frame.ts";
import type { ChunkFrame, Frame } from "../../../src/protocol/frame-kinds.ts";
import { gate } from "../../helpers/gate.ts";
import {
  BIG_FRAME,
  bytes,
  execParams,
  exited,
  fsParams,
  HELLO,
  pair,
  parentEnd,
  settled,
  wire,
  workerAgainst,
  workerEnd,
} from "./peers.ts";

function pattern(size: number): Uint8Array {
  const filled = new Uint8Array(size);
  for (let index = 0; index < size; index += 1) filled[index] = (index * 31 + (index >>> 8)) & 0xff;
  return filled;
}

/** A transport that is full after every write until the test opens it. */
function slowTransport(): {
  write: (bytes: Uint8Array) => Promise<void>;
  free: () => void;
  frames: Frame[];
  writes: number;
} {
  let next = gate();
  const reader = new FrameReader(BIG_FRAME, (payload) => transport.frames.push(decodeFrame(payload)));
  const transport = {
    frames: [] as Frame[],
    writes: 0,
    write: (written: Uint8Array) => {
      transport.writes += 1;
      reader.push(written);
      next = gate();
      return next.promise;
    },
    free: () => next.open(),
  };
  return transport;
}

test.each([0, 1, 32_768, 32_769, 262_144, 262_145, 20_000_000])(
  "a body of %i bytes survives both ways, byte for byte",
  async (size) => {
    const { parent, worker, broken } = pair();
    const body = pattern(size);
    const there = await parent.request("fs", fsParams, { body });
    expect(Buffer.compare(there.body, body)).toBe(0);
    const back = await worker.request("tool.call", { execId: 1, path: "t" }, { body });
    expect(Buffer.compare(back.body, body)).toBe(0);
    expect(broken).toEqual([]);
  },
);

test("a body in pieces arrives as one, empty pieces and all", async () => {
  const { parent } = pair();
  const pieces = [pattern(0), pattern(300_000), pattern(0), pattern(1), pattern(300_000), pattern(0)];
  const { body } = await parent.request("fs", fsParams, { body: pieces });
  expect(Buffer.compare(body, Buffer.concat(pieces))).toBe(0);
});

test("a body in chunks of any size, large ones between tiny ones, arrives whole", () => {
  const budget = new BodyBudget(DEFAULT_LIMITS);
  const collector = new BodyCollector(budget);
  const whole = pattern(500_000);
  const sizes = [1, 1, 1, 70_000, 2, 1, 65_536, 1, 40_000, 9, 65_535, 1, 3];
  for (let at = 0, turn = 0; at < whole.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    collector.add(whole.subarray(at, at + size));
    at += size;
  }
  expect(collector.bytes).toBe(whole.length);
  expect(Buffer.compare(collector.take(), whole)).toBe(0);
  collector.release();
  collector.add(whole.subarray(0, 3));
  expect(Buffer.compare(collector.take(), whole.subarray(0, 3))).toBe(0);
});

test("a million chunks of one byte cost about a million bytes", () => {
  const before = process.memoryUsage().arrayBuffers;
  const collector = new BodyCollector(new BodyBudget(DEFAULT_LIMITS));
  const one = new Uint8Array(1);
  for (let added = 0; added < 1_000_000; added += 1) collector.add(one);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(3_000_000);
  expect(collector.take().length).toBe(1_000_000);
});

test("a body stays as it came when the bytes that brought it are written over", async () => {
  let seen: Uint8Array | undefined;
  const peer = workerAgainst({
    worker: {
      fs: async (_params, call) => {
        seen = call.body;
        return { value: {} };
      },
    },
  });
  const arrived = wire(
    { kind: "hello", ...HELLO },
    { kind: "request", id: 1, name: "fs", params: fsParams, bodyBytes: 4 },
    { kind: "chunk", id: 1, stream: "request-body", bytes: bytes("kept") },
  );
  peer.channel.receive(arrived);
  arrived.fill(0);
  expect(seen).toEqual(bytes("kept"));
});

test("the cap on all bodies together counts those under way, not those that are done", async () => {
  const { parent, worker, broken } = pair({ limits: { maxHeldBytes: 1_000 } });
  for (let turn = 0; turn < 5; turn += 1) {
    const body = pattern(900);
    expect((await parent.request("fs", fsParams, { body })).body).toHaveLength(900);
    expect((await worker.request("tool.call", { execId: 1, path: "t" }, { body })).body).toHaveLength(900);
  }
  expect(broken).toEqual([]);
});

test("output larger than a chunk is cut, in order, and counted right", async () => {
  const wanted = pattern(1_000_000);
  const { parent } = pair({
    worker: {
      exec: async (_params, call) => {
        await call.output("stdout", wanted);
        return { value: exited };
      },
    },
  });
  const chunks: Buffer[] = [];
  await parent.request("exec", execParams, { onChunk: (_stream, chunk) => chunks.push(Buffer.from(chunk)) });
  expect(chunks.map((chunk) => chunk.length)).toEqual([262_144, 262_144, 262_144, 213_568]);
  expect(Buffer.compare(Buffer.concat(chunks), wanted)).toBe(0);
});

test("a full transport stops the sender: one chunk is made per write that it takes", async () => {
  const transport = slowTransport();
  const channel = parentEnd({
    write: transport.write,
  });
  channel.start();
  void channel.request("fs", fsParams, { body: pattern(1_000_000) }).catch(() => undefined);
  await settled();
  expect(transport.writes).toBe(1);
  for (const expected of [2, 3, 4, 5, 6]) {
    transport.free();
    await settled();
    expect(transport.writes).toBe(expected);
  }
  transport.free();
  await settled();
  expect(transport.frames.map(({ kind }) => kind)).toEqual([
    "hello",
    "request",
    ...new Array<string>(4).fill("chunk"),
  ]);
  channel.close(new Error("done"));
});

test("while a body waits it is not copied", async () => {
  const transport = slowTransport();
  const channel = parentEnd({
    write: transport.write,
  });
  channel.start();
  const body = pattern(100_000_000);
  const before = process.memoryUsage().arrayBuffers;
  void channel.request("fs", fsParams, { body }).catch(() => undefined);
  transport.free();
  await settled();
  transport.free();
  await settled();
  expect(transport.frames).toHaveLength(3);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4_194_304);
  channel.close(new Error("done"));
});

test("output waits until the transport takes more, and goes on when the channel ends", async () => {
  const transport = slowTransport();
  const steps: string[] = [];
  const channel = workerEnd({
    write: transport.write,
    handlers: {
      exec: async (_params, call) => {
        await call.output("stdout", bytes("a"));
        steps.push("a");
        await call.output("stdout", bytes("b"));
        steps.push("b");
        return { value: exited };
      },
    },
  });
  channel.start();
  transport.free();
  await settled();
  channel.receive(
    wire(
      { kind: "hello", ...HELLO },
      { kind: "request", id: 1, name: "exec", params: execParams, bodyBytes: 0 },
    ),
  );
  await settled();
  expect(steps).toEqual([]);
  transport.free();
  await settled();
  expect(steps).toEqual(["a"]);
  channel.close(new Error("gone"));
  await settled();
  expect(steps).toEqual(["a", "b"]);
});

test("a large body holds up no other call", async () => {
  const transport = slowTransport();
  const channel = parentEnd({
    write: transport.write,
  });
  channel.start();
  const calls = [
    channel.request("fs", fsParams, { body: pattern(2_000_000) }),
    channel.request("fs", fsParams, { body: pattern(600_000) }),
    channel.request("isolation", {}),
  ];
  for (const call of calls) call.catch(() => undefined);
  for (let turn = 0; turn < 16; turn += 1) {
    await settled();
    transport.free();
  }
  await settled();
  const order = transport.frames.slice(1).map((frame) => `${frame.kind} ${(frame as ChunkFrame).id}`);
  expect(order.slice(0, 7)).toEqual([
    "request 1",
    "request 2",
    "request 3",
    "chunk 1",
    "chunk 2",
    "chunk 1",
    "chunk 2",
  ]);
  expect(order.filter((each) => each === "chunk 1")).toHaveLength(8);
  channel.close(new Error("done"));
});

test("a cancel waits for the end of its request's body", async () => {
  const transport = slowTransport();
  const channel = parentEnd({
    write: transport.write,
  });
  channel.start();
  const controller = new AbortController();
  channel
    .request("fs", fsParams, { body: pattern(600_000), signal: controller.signal })
    .catch(() => undefined);
  controller.abort();
  for (let turn = 0; turn < 8; turn += 1) {
    await settled();
    transport.free();
  }
  expect(transport.frames.map(({ kind }) => kind)).toEqual([
    "hello",
    "request",
    "chunk",
    "chunk",
    "chunk",
    "cancel",
  ]);
  channel.close(new Error("done"));
});

test("a call made inside a write waits for the word whether the transport is full", async () => {
  const full = gate();
  const kinds: string[] = [];
  const reader = new FrameReader(BIG_FRAME, (payload) => kinds.push(decodeFrame(payload).kind));
  const channel: ReturnType<typeof parentEnd> = parentEnd({
    write: (written) => {
      reader.push(written);
      if (kinds.length > 1) return;
      channel.request("isolation", {}).catch(() => undefined);
      return full.promise;
    },
  });
  channel.start();
  expect(kinds).toEqual(["hello"]);
  full.open();
  await settled();
  expect(kinds).toEqual(["hello", "request"]);
  channel.close(new Error("done"));
});
