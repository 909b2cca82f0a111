import fc from "fast-check";
import { expect, test } from "vitest";
import { ProtocolError } from "../../../src/protocol/protocol-error.ts";
import {
  bytes,
  execParams,
  exited,
  fsParams,
  HELLO,
  pair,
  parentAgainst,
  settled,
  wire,
  workerAgainst,
} from "../../unit/protocol/peers.ts";

const LIMITS = { maxFrameBytes: 5_000, chunkBytes: 700, maxBodyBytes: 1_000_000 };

/** Cuts what is written into pieces of the given sizes, over and over. */
function splitter(sizes: readonly number[]): (whole: Uint8Array) => Uint8Array[] {
  let turn = 0;
  return (whole) => {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < whole.length; ) {
      const size = sizes[turn % sizes.length] ?? 1;
      turn += 1;
      pieces.push(whole.subarray(at, at + size));
      at += size;
    }
    return pieces;
  };
}

const sizes = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 12 });
const body = fc.uint8Array({ maxLength: 3_000 });

test("any mix of calls both ways gets its own answers, under any split", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ up: fc.boolean(), body, turns: fc.nat(6) }), { maxLength: 20 }),
      sizes,
      async (plans, cuts) => {
        const later = async (turns: number): Promise<void> => {
          for (let turn = 0; turn < turns; turn += 1) await settled();
        };
        const { parent, worker, broken } = pair({
          limits: LIMITS,
          split: splitter(cuts),
          worker: {
            fs: async (params, call) => {
              await later(Number(params.path));
              return { value: {}, body: call.body };
            },
          },
          parent: {
            "tool.call": async (params, call) => {
              await later(Number(params.path));
              return { value: {}, body: call.body };
            },
          },
        });
        const answers = await Promise.all(
          plans.map((plan) => {
            const path = String(plan.turns);
            if (plan.up) return worker.request("tool.call", { execId: 1, path }, { body: plan.body });
            return parent.request("fs", { ...fsParams, path }, { body: plan.body });
          }),
        );
        expect(answers.map((answer) => Buffer.from(answer.body).toString("hex"))).toEqual(
          plans.map((plan) => Buffer.from(plan.body).toString("hex")),
        );
        expect([broken, parent.openRequests, worker.openRequests]).toEqual([[], 0, 0]);
      },
    ),
    { numRuns: 40 },
  );
});

test("output arrives whole and in order before its answer, under any split", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom("stdout" as const, "stderr" as const), body), { maxLength: 12 }),
      sizes,
      async (outputs, cuts) => {
        const { parent } = pair({
          limits: LIMITS,
          split: splitter(cuts),
          worker: {
            exec: async (_params, call) => {
              for (const [stream, chunk] of outputs) void call.output(stream, chunk);
              return { value: exited };
            },
          },
        });
        const seen = { stdout: "", stderr: "" };
        await parent.request("exec", execParams, {
          onChunk: (stream, chunk) => {
            seen[stream] += Buffer.from(chunk).toString("hex");
          },
        });
        for (const stream of ["stdout", "stderr"] as const) {
          const wanted = outputs.filter(([to]) => to === stream).map(([, chunk]) => Buffer.from(chunk));
          expect(seen[stream]).toBe(Buffer.concat(wanted).toString("hex"));
        }
      },
    ),
    { numRuns: 40 },
  );
});

const id = fc.integer({ min: 0, max: 5 });
const hostile = fc.oneof(
  fc.constant({ kind: "hello", ...HELLO }),
  fc.record({
    kind: fc.constant("request"),
    id,
    name: fc.constantFrom("tool.call", "exec", "isolation", "fs", "x"),
    params: fc.constantFrom<object>({}, { execId: 1, path: "t" }, execParams, fsParams),
    bodyBytes: fc.nat(4),
  }),
  fc.record({
    kind: fc.constant("chunk"),
    id,
    stream: fc.constantFrom("stdout", "stderr", "request-body", "result-body"),
    bytes: fc.constantFrom(bytes("a"), bytes("ab"), bytes("")),
  }),
  fc.record({
    kind: fc.constant("result"),
    id,
    value: fc.constantFrom<object>({}, exited),
    bodyBytes: fc.nat(3),
  }),
  fc.record({ kind: fc.constant("failure"), id, error: fc.constant({ code: "E", message: "m" }) }),
  fc.record({ kind: fc.constant("cancel"), id }),
);

test("no order of frames makes receive throw, break twice, or leave a call unsettled after the end", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { maxLength: 25 }), fc.boolean(), async (frames, asParent) => {
      const peer = asParent ? parentAgainst() : workerAgainst();
      const calls: Promise<unknown>[] = [];
      if ("channel" in peer && asParent) {
        const { channel } = peer as ReturnType<typeof parentAgainst>;
        calls.push(channel.request("exec", execParams), channel.request("isolation", {}));
      } else {
        const { channel } = peer as ReturnType<typeof workerAgainst>;
        calls.push(channel.request("tool.call", { execId: 1, path: "t" }));
      }
      const outcomes = Promise.allSettled(calls);
      peer.channel.receive(wire({ kind: "hello", ...HELLO }));
      for (const each of frames) peer.channel.receive(wire(each));
      await settled();
      expect(peer.broken.length).toBeLessThanOrEqual(1);
      expect(peer.broken.every((error) => error instanceof ProtocolError)).toBe(true);
      expect(peer.broken.map(({ code }) => code)).not.toContain("RECEIVE_FAILED");
      peer.channel.close(new Error("end"));
      await outcomes;
      expect(peer.channel.openRequests).toBe(0);
      // Each request of the peer that was answered was answered once.
      const answered = peer.sent.filter(({ kind }) => kind === "result" || kind === "failure");
      const ids = answered.map((answer) => (answer as { id: number }).id);
      expect(new Set(ids).size).toBe(ids.length);
    }),
    { numRuns: 500 },
  );
});
