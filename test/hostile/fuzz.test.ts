/**
 * The parent's end of the channel against bytes that nobody wrote on purpose: good traffic with bits turned,
 * cut, joined anew and out of order, and noise. Each run has a seed, which a failure names; as long as
 * `HARNESS_FUZZ_MS` says, 2 seconds by default.
 */
import { expect, test } from "vitest";
import type { Channel } from "../../src/protocol/channel.ts";
import type { ParentRequests } from "../../src/protocol/messages.ts";
import { ProtocolError } from "../../src/protocol/protocol-error.ts";
import {
  bytes,
  execParams,
  exited,
  fsParams,
  HELLO,
  parentEnd,
  settled,
  wire,
} from "../unit/protocol/peers.ts";

const FUZZ_MS = Number(process.env.HARNESS_FUZZ_MS ?? 2_000);
const FIRST_SEED = Number(process.env.HARNESS_FUZZ_SEED ?? 1);
const LIMITS = {
  maxFrameBytes: 4_096,
  chunkBytes: 1_024,
  maxBodyBytes: 20_000,
  maxHeldBytes: 50_000,
  maxOpenRequests: 8,
};

type Random = (below: number) => number;

/** mulberry32: small, and the same numbers for the same seed everywhere. */
function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)] as T;
}

/** Frames of a worker that keeps the law, for a parent that has asked 1 exec, 2 isolation, 3 fs. */
function goodFrames(random: Random): object[] {
  const frames: object[] = [{ kind: "hello", ...HELLO }];
  const calls = random(5);
  for (let id = 1; id <= calls; id += 1) {
    const body = bytes("x".repeat(random(3) * 40));
    const params = { execId: 1, path: "a.b" };
    frames.push({ kind: "request", id, name: "tool.call", params, bodyBytes: body.length });
    if (body.length > 0) frames.push({ kind: "chunk", id, stream: "request-body", bytes: body });
    if (random(3) === 0) frames.push({ kind: "cancel", id });
  }
  const outputs = random(6);
  for (let made = 0; made < outputs; made += 1) {
    const stream = pick(random, ["stdout", "stderr"]);
    frames.push({ kind: "chunk", id: 1, stream, bytes: bytes("o".repeat(1 + random(300))) });
  }
  const body = bytes("{}".repeat(random(200)));
  if (body.length > 0) frames.push({ kind: "chunk", id: 2, stream: "result-body", bytes: body });
  frames.push({ kind: "result", id: 2, value: {}, bodyBytes: body.length });
  const error = { code: "FS_ERROR", message: "no", data: { errno: "ENOENT", deep: [{ a: [1, null, "é"] }] } };
  frames.push({ kind: "failure", id: 3, error });
  frames.push({ kind: "result", id: 1, value: exited, bodyBytes: 0 });
  return frames;
}

/** What may happen to a run of bytes on its way. */
const spoilers: ((random: Random, stream: Buffer) => Buffer)[] = [
  (_random, stream) => stream,
  (random, stream) => {
    const turned = Buffer.from(stream);
    for (let count = 1 + random(4); count > 0; count -= 1) {
      const at = random(turned.length);
      turned[at] = (turned[at] ?? 0) ^ (1 << random(8));
    }
    return turned;
  },
  (random, stream) => {
    const set = Buffer.from(stream);
    // Type bytes and extremes are likelier to mean something than any byte.
    set[random(set.length)] = pick(
      random,
      [0, 1, 0x7f, 0x80, 0x8f, 0xc1, 0xc6, 0xc7, 0xc9, 0xd4, 0xdb, 0xdd, 0xdf, 0xff],
    );
    return set;
  },
  (random, stream) => stream.subarray(0, random(stream.length + 1)),
  (random, stream) => {
    const from = random(stream.length);
    return Buffer.concat([stream.subarray(0, from), stream.subarray(from + 1 + random(20))]);
  },
  (random, stream) => {
    const from = random(stream.length);
    const piece = stream.subarray(from, from + random(200));
    const to = random(stream.length);
    return Buffer.concat([stream.subarray(0, to), piece, stream.subarray(to)]);
  },
  (random) => Buffer.from(Array.from({ length: random(3_000) }, () => random(256))),
];

/** The stream of one run. Some frames change places or come twice before the bytes are spoiled. */
function streamOf(random: Random): Buffer {
  const frames = goodFrames(random);
  for (let count = random(3); count > 0; count -= 1) {
    const from = random(frames.length);
    const [moved] = random(2) === 0 ? frames.splice(from, 1) : [frames[from]];
    if (moved !== undefined) frames.splice(random(frames.length + 1), 0, moved);
  }
  let stream = Buffer.concat(frames.map((frame) => wire(frame)));
  // A spoiled hello ends the run at once: most runs keep it.
  const hello = random(8) === 0 ? 0 : wire({ kind: "hello", ...HELLO }).length;
  for (let count = random(3); count > 0 && stream.length > hello; count -= 1) {
    stream = Buffer.concat([
      stream.subarray(0, hello),
      pick(random, spoilers)(random, stream.subarray(hello)),
    ]);
  }
  return stream;
}

interface Run {
  channel: Channel<ParentRequests>;
  broken: ProtocolError[];
  /** Everything that reached the owner, in order. */
  delivered: string[];
  outcomes: Promise<PromiseSettledResult<unknown>[]>;
}

function startRun(random: Random): Run {
  const broken: ProtocolError[] = [];
  const delivered: string[] = [];
  const channel = parentEnd({
    limits: LIMITS,
    write: () => (random(4) === 0 ? settled() : undefined),
    handlers: {
      "tool.call": async (_params, call) => {
        delivered.push(`tool call ${call.id}`);
        if (random(2) === 0) await settled();
        if (random(4) === 0) throw new Error("no");
        return { value: {}, body: call.body };
      },
    },
    onBroken: (error) => void broken.push(error),
  });
  channel.start();
  const onChunk = (stream: string, chunk: Uint8Array): void => {
    delivered.push(`${stream} ${chunk.length}`);
  };
  const calls = [
    channel.request("exec", execParams, { onChunk, onEnd: () => delivered.push("end") }),
    channel.request("isolation", {}, { maxAnswerBytes: 300 }),
    channel.request("fs", fsParams),
  ];
  return { channel, broken, delivered, outcomes: Promise.allSettled(calls) };
}

/** One run; returns how it ended, for the count at the end. */
async function fuzz(seed: number): Promise<string> {
  const random = randomOf(seed);
  const { channel, broken, delivered, outcomes } = startRun(random);
  const stream = streamOf(random);
  let deliveredAtBreach: number | undefined;
  for (let at = 0; at < stream.length; ) {
    const piece = stream.subarray(at, at + 1 + random(random(3) === 0 ? 4_000 : 40));
    at += piece.length;
    channel.receive(new Uint8Array(piece));
    if (broken.length > 0) deliveredAtBreach ??= delivered.length;
    if (random(10) === 0) await settled();
  }
  await settled();
  const survived = broken.length === 0;
  // Good frames after a breach are nobody's; without one, their second hello is the breach.
  channel.receive(new Uint8Array(Buffer.concat(goodFrames(random).map((frame) => wire(frame)))));
  await settled();
  if (deliveredAtBreach === undefined && broken.length > 0) deliveredAtBreach = delivered.length;

  expect(broken.length, `breaches, seed ${seed}`).toBeLessThanOrEqual(1);
  expect(broken.every((error) => error instanceof ProtocolError)).toBe(true);
  if (broken.length > 0) expect(delivered.length, `after the breach, seed ${seed}`).toBe(deliveredAtBreach);
  const [code] = broken.map((error) => error.code);
  // Failures of our own code on their bytes would be told as this.
  expect(code, `seed ${seed}`).not.toBe("RECEIVE_FAILED");
  for (const { message } of broken) expect(message.length, `seed ${seed}`).toBeLessThan(1_000);

  channel.close(new Error("the run is over"));
  expect(await outcomes).toHaveLength(3);
  expect(channel.openRequests).toBe(0);
  return survived ? "none" : String(code);
}

test("whatever arrives: receive never throws, breaks at most once, and delivers nothing after", {
  timeout: FUZZ_MS + 30_000,
}, async () => {
  const ends = new Map<string, number>();
  const until = performance.now() + FUZZ_MS;
  let seed = FIRST_SEED;
  do {
    const code = await fuzz(seed);
    ends.set(code, (ends.get(code) ?? 0) + 1);
    seed += 1;
  } while (performance.now() < until || seed < FIRST_SEED + 200);
  // The traffic must be good enough to get somewhere and bad enough to break.
  expect(ends.get("none")).toBeGreaterThan(0);
  expect(ends.size).toBeGreaterThan(5);
});

test("memory does not grow with what was received", async () => {
  const broken: ProtocolError[] = [];
  const channel = parentEnd({
    limits: LIMITS,
    write: () => undefined,
    handlers: { "tool.call": async (_params, call) => ({ value: {}, body: call.body }) },
    onBroken: (error) => void broken.push(error),
  });
  channel.start();
  const outcome = channel.request("exec", execParams).catch((error: Error) => error.message);
  channel.receive(wire({ kind: "hello", ...HELLO }));
  const before = process.memoryUsage();
  const output = wire({ kind: "chunk", id: 1, stream: "stdout", bytes: new Uint8Array(1_000) });
  let peak = 0;
  for (let id = 1; id <= 20_000; id += 1) {
    const params = { execId: 1, path: "t" };
    channel.receive(output);
    channel.receive(
      wire(
        { kind: "request", id, name: "tool.call", params, bodyBytes: 1_000 },
        { kind: "chunk", id, stream: "request-body", bytes: new Uint8Array(1_000) },
        { kind: "cancel", id },
      ),
    );
    if (id % 5 > 0) continue;
    await settled();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    peak = Math.max(peak, heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers);
  }
  expect(broken).toEqual([]);
  expect(peak / 1e6).toBeLessThan(150);
  channel.close(new Error("the run is over"));
  expect(await outcome).toBe("the run is over");
});
