import { expect, test } from "vitest";
import { CallFailure } from "../../../src/protocol/call-failure.ts";
import { decodeFrame } from "../../../src/protocol/codec.ts";
import { FrameReader } from "../../../src/protocol/frame.ts";
import { gate } from "../../helpers/gate.ts";
import {
  BIG_FRAME,
  bytes,
  execParams,
  exited,
  fsParams,
  HELLO,
  openParams,
  pair,
  parentAgainst,
  parentEnd,
  settled,
  text,
  workerAgainst,
  workerEnd,
} from "./peers.ts";

test("both ends become ready by each other's hello", async () => {
  const { parent, worker, broken } = pair();
  await Promise.all([parent.ready, worker.ready]);
  expect(broken).toEqual([]);
});

test("every request reaches its handler and its answer comes back", async () => {
  const seen: unknown[] = [];
  const { parent, worker } = pair({
    worker: {
      open: async (params) => {
        seen.push(params);
        return { value: { engine: "bash", defense: "full", stateRestored: true } };
      },
      exec: async (params, call) => {
        seen.push(params, text(call.body));
        return { value: { ...exited, exitCode: 3, stateChanged: true }, body: bytes("{}") };
      },
      isolation: async () => ({ value: {}, body: bytes('{"walls":[]}') }),
    },
    parent: {
      "tool.call": async (params, call) => {
        seen.push(params);
        return { value: {}, body: bytes(`[${text(call.body)}]`) };
      },
    },
  });
  expect((await parent.request("open", openParams)).value.engine).toBe("bash");
  const ran = await parent.request("exec", execParams, { body: [bytes("true"), bytes("input")] });
  expect([ran.value.exitCode, text(ran.body)]).toEqual([3, "{}"]);
  expect(text((await parent.request("fs", fsParams, { body: bytes("abc") })).body)).toBe("abc");
  expect(text((await parent.request("isolation", {})).body)).toBe('{"walls":[]}');
  const tool = await worker.request("tool.call", { execId: 2, path: "a.b" }, { body: bytes("1") });
  expect(text(tool.body)).toBe("[1]");
  expect(seen).toEqual([openParams, execParams, "trueinput", { execId: 2, path: "a.b" }]);
});

test("ids start at 1 and are counted per direction", async () => {
  const { parent, worker } = pair();
  const first = parent.request("isolation", {});
  const second = parent.request("isolation", {});
  const other = worker.request("tool.call", { execId: 1, path: "t" });
  expect([first.id, second.id, other.id]).toEqual([1, 2, 1]);
  await Promise.all([first, second, other]);
});

test("output comes in order, before the answer, and both streams keep their bytes", async () => {
  const { parent } = pair({
    worker: {
      exec: async (_params, call) => {
        await call.output("stdout", bytes("one "));
        await call.output("stderr", new Uint8Array([0, 255]));
        void call.output("stdout", bytes("two"));
        return { value: exited };
      },
    },
  });
  const seen: unknown[] = [];
  await parent.request("exec", execParams, { onChunk: (stream, chunk) => seen.push([stream, ...chunk]) });
  expect(seen).toEqual([
    ["stdout", ...bytes("one ")],
    ["stderr", 0, 255],
    ["stdout", ...bytes("two")],
  ]);
});

test("output of no bytes sends nothing", async () => {
  const peer = workerAgainst({
    worker: {
      exec: async (_params, call) => {
        await call.output("stdout", bytes(""));
        return { value: exited };
      },
    },
  });
  peer.deliver(
    { kind: "hello", ...HELLO },
    { kind: "request", id: 1, name: "exec", params: execParams, bodyBytes: 0 },
  );
  await settled();
  expect(peer.sent.map(({ kind }) => kind)).toEqual(["hello", "result"]);
});

test("output after the answer is dropped and harms nobody", async () => {
  let late: (() => Promise<void>) | undefined;
  const { parent, broken } = pair({
    worker: {
      exec: async (_params, call) => {
        late = () => call.output("stdout", bytes("late"));
        return { value: exited };
      },
    },
  });
  const seen: unknown[] = [];
  await parent.request("exec", execParams, { onChunk: (...chunk) => seen.push(chunk) });
  await late?.();
  await parent.request("isolation", {});
  expect([seen, broken]).toEqual([[], []]);
});

test("only the worker's exec has output", async () => {
  const refusals: unknown[] = [];
  const refuse = (error: unknown): void => void refusals.push((error as { code: string }).code);
  const { parent, worker, broken } = pair({
    worker: {
      fs: async (_params, call) => {
        await call.output("stdout", bytes("x")).catch(refuse);
        return { value: {} };
      },
    },
    parent: {
      "tool.call": async (_params, call) => {
        await call.output("stdout", bytes("x")).catch(refuse);
        return { value: {} };
      },
    },
  });
  await parent.request("fs", fsParams);
  await worker.request("tool.call", { execId: 1, path: "t" });
  expect([refusals, broken]).toEqual([["CHUNK_UNEXPECTED", "CHUNK_UNEXPECTED"], []]);
});

test("what a handler throws is the call's failure, with its code and its plain data", async () => {
  const { parent } = pair({
    worker: {
      fs: async () => {
        throw Object.assign(new Error("no such file"), { code: "ENOENT", data: { path: "/w/a", errno: -2 } });
      },
    },
  });
  const failure = await parent.request("fs", fsParams).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CallFailure);
  expect(failure).toMatchObject({
    code: "ENOENT",
    message: "no such file",
    data: { path: "/w/a", errno: -2 },
  });
});

test.each<[string, unknown, object]>([
  ["an error without code", new Error("oh"), { code: "HANDLER_FAILED", message: "oh", data: undefined }],
  ["a string", "oh", { code: "HANDLER_FAILED", message: "oh" }],
  ["nothing", undefined, { code: "HANDLER_FAILED", message: "undefined" }],
  ["a plain object", { code: "E", message: "m" }, { code: "E", message: "m" }],
  ["details that are not plain", { code: "E", message: "m", data: { at: new Date() } }, { data: undefined }],
  [
    "details that are too many",
    { code: "E", message: "m", data: { a: "x".repeat(5_000_000) } },
    { code: "E" },
  ],
])("%s thrown by a handler arrives as a failure", async (_name, thrown, expected) => {
  const { parent, broken } = pair({ worker: { isolation: () => Promise.reject(thrown) } });
  const failure = await parent.request("isolation", {}).catch((error: unknown) => error);
  expect(failure).toMatchObject(expected);
  expect(broken).toEqual([]);
});

test("a message of megabytes is cut to what fits", async () => {
  const { parent } = pair({ worker: { isolation: () => Promise.reject(new Error("é".repeat(9_000_000))) } });
  const failure = (await parent.request("isolation", {}).catch((error: unknown) => error)) as Error;
  expect(failure).toBeInstanceOf(CallFailure);
  expect(failure.message.length).toBeLessThan(70_000);
});

test("a handler that throws before it returns a promise fails its call only", async () => {
  const { parent } = pair({
    worker: {
      isolation: () => {
        throw new Error("at once");
      },
    },
  });
  await expect(parent.request("isolation", {})).rejects.toThrow("at once");
  await parent.request("fs", fsParams);
});

test("an answer that the wire cannot carry becomes a failure that says so", async () => {
  const { parent, broken } = pair({
    limits: { maxFrameBytes: 1_000, chunkBytes: 500, maxBodyBytes: 2_000 },
    worker: {
      open: async () => ({ value: { engine: "x".repeat(2_000), defense: "", stateRestored: false } }),
      exec: async () => ({ value: { ...exited, exitCode: 1.5 } }),
      fs: async () => ({ value: {}, body: new Uint8Array(2_001) }),
    },
  });
  await expect(parent.request("open", openParams)).rejects.toMatchObject({ code: "FRAME_TOO_LARGE" });
  await expect(parent.request("exec", execParams)).rejects.toMatchObject({ code: "SHAPE_REFUSED" });
  await expect(parent.request("fs", fsParams)).rejects.toMatchObject({ code: "BODY_TOO_LARGE" });
  await parent.request("isolation", {});
  expect(broken).toEqual([]);
});

test("a request that cannot be sent rejects alone, costs no id and breaks nothing", async () => {
  const { parent, broken } = pair({
    limits: { maxFrameBytes: 1_000, chunkBytes: 500, maxBodyBytes: 2_000 },
  });
  const long = { ...execParams, args: ["x".repeat(2_000)] };
  const refused = parent.request("exec", long);
  expect(refused.id).toBe(0);
  await expect(refused).rejects.toMatchObject({ name: "ProtocolError", code: "FRAME_TOO_LARGE" });
  const wrong = { ...fsParams, mode: Number.NaN };
  await expect(parent.request("fs", wrong)).rejects.toMatchObject({ code: "SHAPE_REFUSED" });
  const forbidden = { ...execParams, env: { constructor: "x" } };
  await expect(parent.request("exec", forbidden)).rejects.toMatchObject({ code: "VALUE_REFUSED" });
  const body = new Uint8Array(2_001);
  await expect(parent.request("fs", fsParams, { body })).rejects.toMatchObject({ code: "BODY_TOO_LARGE" });
  const unknown = "nope" as "isolation";
  await expect(parent.request(unknown, {})).rejects.toMatchObject({ code: "NAME_UNKNOWN" });
  const next = parent.request("isolation", {});
  expect(next.id).toBe(1);
  await next;
  expect(broken).toEqual([]);
});

test("64 requests at once are answered in any order, each with its own answer", async () => {
  const gates = Array.from({ length: 64 }, () => gate());
  const { worker } = pair({
    parent: {
      "tool.call": async (params, call) => {
        await gates[Number(params.path)]?.promise;
        return { value: {}, body: bytes(`${params.path}:${text(call.body)}`) };
      },
    },
  });
  const calls = gates.map((_gate, index) =>
    worker.request("tool.call", { execId: 1, path: String(index) }, { body: bytes(`in${index}`) }),
  );
  await settled();
  expect(worker.openRequests).toBe(64);
  for (let index = 63; index >= 0; index -= 1) gates[(index * 37) % 64]?.open();
  const answers = await Promise.all(calls);
  expect(answers.map(({ body }) => text(body))).toEqual(gates.map((_gate, index) => `${index}:in${index}`));
  expect(worker.openRequests).toBe(0);
});

test("one request more than the cap is refused until one is answered", async () => {
  const held = gate();
  const { parent, broken } = pair({
    limits: { maxOpenRequests: 2 },
    worker: { isolation: () => held.promise.then(() => ({ value: {} })) },
  });
  const calls = [parent.request("isolation", {}), parent.request("isolation", {})];
  await expect(parent.request("isolation", {})).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
  held.open();
  await Promise.all(calls);
  await parent.request("isolation", {});
  expect(broken).toEqual([]);
});

test("requests may follow the hello at once, and a forgotten start is made up for", () => {
  const kinds: string[] = [];
  const reader = new FrameReader(BIG_FRAME, (payload) => kinds.push(decodeFrame(payload).kind));
  const channel = parentEnd({ write: (frame) => reader.push(frame) });
  expect(kinds).toEqual([]);
  void channel.request("isolation", {});
  channel.start();
  expect(kinds).toEqual(["hello", "request"]);
});

test("a small body shares the write of its message", () => {
  const writes: number[] = [];
  const channel = parentEnd({
    write: (frames) => void writes.push(frames.length),
  });
  channel.start();
  void channel.request("exec", execParams, { body: [bytes("true"), bytes("stdin")] });
  expect(writes).toHaveLength(2);
});

test("an abort sends one cancel, the handler's signal aborts, and the answer still settles the call", async () => {
  const cancelled = gate();
  const { parent } = pair({
    worker: {
      exec: (_params, call) =>
        new Promise((resolve) => {
          call.signal.addEventListener("abort", () => {
            cancelled.open();
            resolve({ value: { ...exited, exitCode: 130 } });
          });
        }),
    },
  });
  const controller = new AbortController();
  const call = parent.request("exec", execParams, { signal: controller.signal });
  await settled();
  controller.abort();
  await cancelled.promise;
  expect((await call).value.exitCode).toBe(130);
});

test("a handler that looks at its signal only later still sees the cancel", async () => {
  const looked = gate();
  const peer = workerAgainst({
    worker: {
      exec: async (_params, call) => {
        await looked.promise;
        return { value: { ...exited, exitCode: call.signal.aborted ? 130 : 0 } };
      },
    },
  });
  peer.deliver(
    { kind: "hello", ...HELLO },
    { kind: "request", id: 1, name: "exec", params: execParams, bodyBytes: 0 },
    { kind: "cancel", id: 1 },
    { kind: "cancel", id: 1 },
  );
  looked.open();
  await settled();
  expect(peer.sent.at(-1)).toMatchObject({ kind: "result", id: 1, value: { exitCode: 130 } });
});

test("a cancel that crosses the answer is ignored", async () => {
  const peer = workerAgainst();
  peer.deliver(
    { kind: "hello", ...HELLO },
    { kind: "request", id: 1, name: "isolation", params: {}, bodyBytes: 0 },
  );
  await settled();
  peer.deliver({ kind: "cancel", id: 1 }, { kind: "cancel", id: 1 });
  expect(peer.broken).toEqual([]);
  expect(peer.sent.map(({ kind }) => kind)).toEqual(["hello", "result"]);
});

test("an abort after the answer sends nothing", async () => {
  const peer = parentAgainst();
  const controller = new AbortController();
  const call = peer.channel.request("isolation", {}, { signal: controller.signal });
  peer.deliver({ kind: "hello", ...HELLO }, { kind: "result", id: 1, value: {}, bodyBytes: 0 });
  await call;
  controller.abort();
  expect(peer.sent.map(({ kind }) => kind)).toEqual(["hello", "request"]);
});

test("a signal that is aborted already sends nothing and rejects with its reason", async () => {
  const peer = parentAgainst();
  const reason = new Error("too late");
  await expect(peer.channel.request("isolation", {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
  expect(peer.sent.map(({ kind }) => kind)).toEqual(["hello"]);
});

test("an output listener that throws fails and cancels its call, and only that", async () => {
  const peer = parentAgainst();
  let heard = 0;
  const call = peer.channel.request("exec", execParams, {
    onChunk: () => {
      heard += 1;
      throw new Error("listener");
    },
  });
  const chunk = { kind: "chunk", id: 1, stream: "stdout", bytes: bytes("x") };
  peer.deliver({ kind: "hello", ...HELLO }, chunk, chunk, {
    kind: "result",
    id: 1,
    value: exited,
    bodyBytes: 0,
  });
  await expect(call).rejects.toThrow("listener");
  expect(heard).toBe(1);
  expect(peer.sent.map(({ kind }) => kind)).toEqual(["hello", "request", "cancel"]);
  expect(peer.broken).toEqual([]);
});

test("close rejects what is open with its reason, aborts handlers, and later input and requests change nothing", async () => {
  const reason = new Error("disposed");
  let signal: AbortSignal | undefined;
  const peer = parentAgainst({
    parent: {
      "tool.call": (_params, call) => {
        signal = call.signal;
        return new Promise(() => undefined);
      },
    },
  });
  const open = peer.channel.request("isolation", {});
  peer.deliver(
    { kind: "hello", ...HELLO },
    { kind: "request", id: 1, name: "tool.call", params: { execId: 1, path: "t" }, bodyBytes: 0 },
  );
  const written = peer.sent.length;
  peer.channel.close(reason);
  peer.channel.close(new Error("again"));
  peer.deliver({ kind: "nonsense" });
  await expect(open).rejects.toBe(reason);
  await expect(peer.channel.request("isolation", {})).rejects.toBe(reason);
  expect(signal?.reason).toBe(reason);
  expect(peer.channel.openRequests).toBe(0);
  expect([peer.broken, peer.sent.length]).toEqual([[], written]);
});

test("a channel that closes before the hello rejects ready, and nobody has to watch it", async () => {
  const peer = parentAgainst();
  peer.channel.close(new Error("gone"));
  await settled();
  await expect(peer.channel.ready).rejects.toThrow("gone");
});

test("an answer that a handler gives after the end is dropped", async () => {
  const held = gate();
  const peer = workerAgainst({
    worker: {
      exec: async (_params, call) => {
        await held.promise;
        await call.output("stdout", bytes("late"));
        return { value: exited };
      },
    },
  });
  peer.deliver(
    { kind: "hello", ...HELLO },
    { kind: "request", id: 1, name: "exec", params: execParams, bodyBytes: 0 },
  );
  peer.channel.close(new Error("gone"));
  held.open();
  await settled();
  expect(peer.sent.map(({ kind }) => kind)).toEqual(["hello"]);
});

test("a channel that a handler closes delivers nothing more of the bytes that are already there", async () => {
  let calls = 0;
  const peer = parentAgainst({
    parent: {
      "tool.call": async () => {
        calls += 1;
        peer.channel.close(new Error("enough"));
        return { value: {} };
      },
    },
  });
  const request = (id: number): object => ({
    kind: "request",
    id,
    name: "tool.call",
    params: { execId: 1, path: "t" },
    bodyBytes: 0,
  });
  peer.deliver({ kind: "hello", ...HELLO }, request(1), request(2));
  await settled();
  expect(calls).toBe(1);
});

test.each([
  ["chunkBytes", { chunkBytes: 4_194_304 }],
  ["maxFrameBytes", { maxFrameBytes: 0 }],
  ["maxBodyBytes", { maxBodyBytes: 1.5 }],
  ["maxOpenRequests", { maxOpenRequests: Number.NaN }],
])("limits that cannot work are refused by name: %s", (name, limits) => {
  const make = (): unknown =>
    workerEnd({
      limits,
      write: () => undefined,
    });
  expect(make).toThrow(RangeError);
  expect(make).toThrow(name);
});

test("the end of a call is told before what comes behind its answer is handled", () => {
  const order: string[] = [];
  const peer = parentAgainst({
    parent: {
      "tool.call": async () => {
        order.push("tool call");
        return { value: {} };
      },
    },
  });
  void peer.channel.request("exec", execParams, { onEnd: () => order.push("end") });
  peer.deliver(
    { kind: "hello", ...HELLO },
    { kind: "result", id: 1, value: exited, bodyBytes: 0 },
    { kind: "request", id: 1, name: "tool.call", params: { execId: 1, path: "t" }, bodyBytes: 0 },
  );
  expect(order).toEqual(["end", "tool call"]);
});

test("the end of a call is told when the channel ends under it", async () => {
  const ends: string[] = [];
  const peer = parentAgainst();
  const call = peer.channel.request("isolation", {}, { onEnd: () => ends.push("end") });
  peer.channel.close(new Error("over"));
  await expect(call).rejects.toThrow("over");
  expect(ends).toEqual(["end"]);
});
