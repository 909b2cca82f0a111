import { expect, test, vi } from "vitest";
import { MAX_TOOL_INPUT_BYTES } from "../../../src/protocol/messages.ts";
import { MAX_NODES } from "../../../src/protocol/value-caps.ts";
import { gate } from "../../helpers/gate.ts";
import {
  bytes,
  easyParent,
  execParams,
  exited,
  fsParams,
  HELLO,
  parentAgainst,
  parentEnd,
  settled,
  wire,
  workerAgainst,
} from "./peers.ts";

const hello = { kind: "hello", ...HELLO };
const chunk = (stream: string, id = 1, size = 1): object => ({
  kind: "chunk",
  id,
  stream,
  bytes: new Uint8Array(size),
});
const result = (id = 1, bodyBytes = 0, value: object = {}): object => ({
  kind: "result",
  id,
  value,
  bodyBytes,
});
const failure = (id = 1): object => ({ kind: "failure", id, error: { code: "E", message: "m" } });
const toolCall = (id = 1, bodyBytes = 0): object => ({
  kind: "request",
  id,
  name: "tool.call",
  params: { execId: 1, path: "t" },
  bodyBytes,
});
const isolation = (id = 1, bodyBytes = 0): object => ({
  kind: "request",
  id,
  name: "isolation",
  params: {},
  bodyBytes,
});

/** What the worker plays against a parent that has one `isolation` request open. */
const againstParent: [string, string, object[]][] = [
  ["a first frame that is no hello", "HELLO_EXPECTED", [result()]],
  ["a request before the hello", "HELLO_EXPECTED", [toolCall(), hello]],
  ["another version", "HELLO_MISMATCH", [{ ...hello, version: 2 }]],
  ["another build", "HELLO_MISMATCH", [{ ...hello, buildId: "build-2" }]],
  ["a second hello", "HELLO_REPEATED", [hello, hello]],
  ["an answer to a call nobody made", "ANSWER_UNEXPECTED", [hello, result(7)]],
  ["a failure of a call nobody made", "ANSWER_UNEXPECTED", [hello, failure(7)]],
  ["two results", "ANSWER_UNEXPECTED", [hello, result(), result()]],
  ["a failure after the result", "ANSWER_UNEXPECTED", [hello, result(), failure()]],
  ["output of a call nobody made", "CHUNK_UNEXPECTED", [hello, chunk("stdout", 7)]],
  ["output after the answer", "CHUNK_UNEXPECTED", [hello, result(), chunk("stdout")]],
  ["output of a request that is no exec", "CHUNK_UNEXPECTED", [hello, chunk("stderr")]],
  ["a result's body after the result", "CHUNK_UNEXPECTED", [hello, result(), chunk("result-body")]],
  ["a result's body of a call nobody made", "CHUNK_UNEXPECTED", [hello, chunk("result-body", 7)]],
  ["a body nobody announced", "CHUNK_UNEXPECTED", [hello, chunk("request-body", 1)]],
  ["less body than the result says", "BODY_MISMATCH", [hello, chunk("result-body"), result(1, 2)]],
  ["more body than the result says", "BODY_MISMATCH", [hello, chunk("result-body", 1, 3), result(1, 2)]],
  ["more body than the request says", "BODY_MISMATCH", [hello, toolCall(1, 2), chunk("request-body", 1, 3)]],
  [
    "body after the body",
    "CHUNK_UNEXPECTED",
    [hello, toolCall(1, 1), chunk("request-body"), chunk("request-body")],
  ],
  ["a body larger than the cap announced", "BODY_TOO_LARGE", [hello, toolCall(1, 1_001)]],
  ["a result's body larger than the cap", "BODY_TOO_LARGE", [hello, chunk("result-body", 1, 1_001)]],
  [
    "bodies that are together larger than the cap",
    "BODY_TOO_LARGE",
    [hello, ...[1, 2, 3].flatMap((id) => [toolCall(id, 1_000), chunk("request-body", id, 999)])],
  ],
  ["an id twice", "ID_NOT_INCREASING", [hello, toolCall(3), toolCall(3)]],
  ["an id that goes down", "ID_NOT_INCREASING", [hello, toolCall(3), toolCall(2)]],
  [
    "more open requests than the cap",
    "TOO_MANY_REQUESTS",
    [hello, ...[1, 2, 3, 4, 5].map((id) => toolCall(id, 10))],
  ],
  ["an unknown request", "NAME_UNKNOWN", [hello, { ...toolCall(), name: "tool.list" }]],
  ["a request of the other direction", "NAME_UNKNOWN", [hello, isolation()]],
  ["a name of Object.prototype", "NAME_UNKNOWN", [hello, { ...toolCall(), name: "constructor" }]],
  [
    "params of another shape",
    "SHAPE_REFUSED",
    [hello, { ...toolCall(), params: { execId: "1", path: "t" } }],
  ],
  ["a result of another shape", "SHAPE_REFUSED", [hello, result(1, 0, { more: 1 })]],
  ["a cancel of a request never made", "CANCEL_UNEXPECTED", [hello, toolCall(1), { kind: "cancel", id: 2 }]],
  ["a cancel inside a body", "CANCEL_UNEXPECTED", [hello, toolCall(1, 2), { kind: "cancel", id: 1 }]],
  ["a kind that does not exist", "SHAPE_REFUSED", [hello, { kind: "ping" }]],
];

test.each(againstParent)("%s breaks the parent's channel: %s", async (_name, code, frames) => {
  const peer = parentAgainst({
    limits: { maxBodyBytes: 1_000, maxHeldBytes: 2_500, maxOpenRequests: 4 },
    parent: { "tool.call": () => new Promise(() => undefined) },
  });
  const open = peer.channel.request("isolation", {});
  const outcome = open.then(
    () => "answered",
    (error: unknown) => error,
  );
  peer.deliver(...frames);
  expect(peer.broken.map((error) => error.code)).toEqual([code]);
  // What was answered before the breach is answered; everything else is told of it.
  const answered =
    frames.some((frame) => "kind" in frame && frame.kind === "result") && code !== "SHAPE_REFUSED";
  const end = await outcome;
  if (end !== "answered") expect(end).toBe(peer.broken[0]);
  else expect(answered).toBe(true);
  await expect(peer.channel.request("isolation", {})).rejects.toBe(peer.broken[0]);
  expect(peer.channel.openRequests).toBe(0);
});

test.each<[string, string, object[]]>([
  ["output from the parent", "CHUNK_UNEXPECTED", [hello, chunk("stdout")]],
  [
    "output from the parent for a request of its own",
    "CHUNK_UNEXPECTED",
    [hello, isolation(), chunk("stdout")],
  ],
  ["a request of the other direction", "NAME_UNKNOWN", [hello, toolCall()]],
  ["another build", "HELLO_MISMATCH", [{ ...hello, buildId: "" }]],
])("%s breaks the worker's channel: %s", (_name, code, frames) => {
  const peer = workerAgainst();
  peer.deliver(...frames);
  expect(peer.broken.map((error) => error.code)).toEqual([code]);
});

test.each([
  ["text on the wire", bytes("Debugger listening on ws://127.0.0.1:9229"), "FRAME_TOO_LARGE"],
  ["a length of 4 GiB", new Uint8Array([255, 255, 255, 255]), "FRAME_TOO_LARGE"],
  ["an empty frame", new Uint8Array(4), "VALUE_REFUSED"],
  ["an extension type", new Uint8Array([3, 0, 0, 0, 0xd4, 0x72, 0x40]), "VALUE_REFUSED"],
])("%s breaks the channel: %s", (_name, hostile, code) => {
  const peer = parentAgainst();
  peer.channel.receive(hostile);
  expect(peer.broken.map((error) => error.code)).toEqual([code]);
});

test("an answer before the whole request is sent breaks the channel", async () => {
  const full = gate();
  const broken: string[] = [];
  const channel = parentEnd({
    limits: { chunkBytes: 1_000 },
    write: (frames) => (frames.length > 500 ? full.promise : undefined),
    onBroken: (error) => void broken.push(error.code),
  });
  channel.start();
  const call = channel.request("fs", fsParams, { body: new Uint8Array(2_000) });
  channel.receive(wire(hello, result()));
  expect(broken).toEqual(["ANSWER_UNEXPECTED"]);
  await expect(call).rejects.toMatchObject({ code: "ANSWER_UNEXPECTED" });
});

test("after a breach nothing of the same bytes or of later ones is delivered", async () => {
  const handled = vi.fn(easyParent["tool.call"]);
  const heard = vi.fn();
  const peer = parentAgainst({ parent: { "tool.call": handled } });
  const call = peer.channel.request("exec", execParams, { onChunk: heard });
  const written = peer.sent.length;
  peer.deliver(hello, result(9), chunk("stdout"), toolCall(), result(1, 0, exited));
  peer.deliver(chunk("stdout"), toolCall(2), hello);
  await expect(call).rejects.toBe(peer.broken[0]);
  await settled();
  expect(peer.broken).toHaveLength(1);
  expect([handled.mock.calls, heard.mock.calls, peer.sent.length]).toEqual([[], [], written]);
});

test("an owner that closes in onBroken gives the open calls its own reason", async () => {
  const reason = new Error("the sandbox is dead");
  const channel = parentEnd({
    write: () => undefined,
    onBroken: () => channelOf().close(reason),
  });
  const channelOf = (): typeof channel => channel;
  const call = channel.request("isolation", {});
  channel.receive(wire(result(1)));
  await expect(call).rejects.toBe(reason);
  await expect(channel.request("isolation", {})).rejects.toBe(reason);
});

test("handlers of the peer's requests are told when the channel breaks", async () => {
  let signal: AbortSignal | undefined;
  const peer = parentAgainst({
    parent: {
      "tool.call": (_params, call) => {
        signal = call.signal;
        return new Promise(() => undefined);
      },
    },
  });
  peer.deliver(hello, toolCall(), toolCall());
  expect(signal?.reason).toBe(peer.broken[0]);
});

test.each([
  [
    "throws",
    () => {
      throw new Error("EPIPE");
    },
  ],
  ["rejects", () => Promise.reject(new Error("EPIPE"))],
])("a write that %s breaks the channel once, with its cause", async (_how, write) => {
  const broken: Error[] = [];
  const channel = parentEnd({
    write,
    onBroken: (error) => void broken.push(error),
  });
  channel.start();
  await expect(channel.request("isolation", {})).rejects.toMatchObject({ code: "TRANSPORT_FAILED" });
  await settled();
  expect(broken).toHaveLength(1);
  expect(broken[0]?.cause).toMatchObject({ message: "EPIPE" });
});

test.each([
  ["results", async () => ({ value: {} })],
  ["failures", () => Promise.reject(new Error("no"))],
])("a peer that asks without reading its %s meets the cap", async (_what, answer) => {
  const broken: string[] = [];
  const channel = parentEnd({
    limits: { maxOpenRequests: 4 },
    handlers: { "tool.call": answer },
    write: () => new Promise<void>(() => undefined),
    onBroken: (error) => void broken.push(error.code),
  });
  channel.start();
  channel.receive(wire(hello));
  for (let id = 1; id <= 5; id += 1) {
    channel.receive(wire(toolCall(id)));
    await settled();
  }
  expect(broken).toEqual(["TOO_MANY_REQUESTS"]);
});

test("a body counts until its request is answered", async () => {
  const answers: (() => void)[] = [];
  const peer = parentAgainst({
    limits: { maxBodyBytes: 1_000, maxHeldBytes: 2_500 },
    parent: {
      "tool.call": () => new Promise((resolve) => answers.push(() => resolve({ value: {} }))),
    },
  });
  const whole = (id: number): object[] => [toolCall(id, 1_000), chunk("request-body", id, 1_000)];
  peer.deliver(hello, ...whole(1), ...whole(2));
  answers[0]?.();
  await settled();
  peer.deliver(...whole(3));
  expect(peer.broken).toEqual([]);
  peer.deliver(...whole(4));
  expect(peer.broken.map(({ code }) => code)).toEqual(["BODY_TOO_LARGE"]);
});

test("a tool's input has a cap of its own, announced or sent", async () => {
  const peer = parentAgainst();
  peer.deliver(hello, toolCall(1, MAX_TOOL_INPUT_BYTES));
  expect(peer.broken).toEqual([]);
  peer.deliver(toolCall(2, MAX_TOOL_INPUT_BYTES + 1));
  expect(peer.broken.map(({ code }) => code)).toEqual(["BODY_TOO_LARGE"]);
  const worker = workerAgainst();
  worker.deliver(hello);
  const body = new Uint8Array(MAX_TOOL_INPUT_BYTES + 1);
  const call = worker.channel.request("tool.call", { execId: 1, path: "t" }, { body });
  await expect(call).rejects.toMatchObject({ code: "BODY_TOO_LARGE" });
  expect(worker.broken).toEqual([]);
});

test("an answer's body above what its caller takes breaks the channel as it comes", async () => {
  const peer = parentAgainst();
  const call = peer.channel.request("fs", fsParams, { maxAnswerBytes: 10 });
  peer.deliver(hello, chunk("result-body", 1, 10));
  expect(peer.broken).toEqual([]);
  peer.deliver(chunk("result-body", 1, 1));
  await expect(call).rejects.toMatchObject({ code: "BODY_TOO_LARGE" });
});

test("params with more values than the cap break the receiver only when a peer sends them", async () => {
  const peer = parentAgainst();
  const args = new Array<string>(MAX_NODES).fill("");
  await expect(peer.channel.request("exec", { ...execParams, args })).rejects.toMatchObject({
    code: "VALUE_REFUSED",
  });
  expect(peer.broken).toEqual([]);
});
