import { expect, test } from "vitest";
import { StreamView } from "../../../src/harness/stream-view.ts";

function view() {
  const left: string[] = [];
  const stream = new StreamView<number>("fullStream", () => left.push("left"));
  return { stream, left };
}

async function readAll(stream: AsyncIterable<number>): Promise<number[]> {
  const values: number[] = [];
  for await (const value of stream) values.push(value);
  return values;
}

test("a reader that comes late gets everything in order", async () => {
  const { stream, left } = view();
  for (let value = 0; value < 10_000; value++) stream.push(value);
  stream.end();
  const values = await readAll(stream);
  expect(values).toEqual(Array.from({ length: 10_000 }, (_, index) => index));
  expect(left).toEqual([]);
});

test("a reader that waits is woken by each value and by the end", async () => {
  const { stream } = view();
  const reading = readAll(stream);
  for (const value of [1, 2, 3]) {
    stream.push(value);
    await Promise.resolve();
  }
  stream.end();
  expect(await reading).toEqual([1, 2, 3]);
});

test("an error comes after what was there before it, once, and is no departure of the reader", async () => {
  const { stream, left } = view();
  stream.push(1);
  stream.fail(new Error("broken"));
  const reader = stream[Symbol.asyncIterator]();
  expect(await reader.next()).toEqual({ done: false, value: 1 });
  await expect(reader.next()).rejects.toThrow("broken");
  expect(await reader.next()).toEqual({ done: true, value: undefined });
  await reader.return?.();
  expect(left).toEqual([]);
});

test("leaving a loop early is told once", async () => {
  const { stream, left } = view();
  stream.push(1);
  for await (const _ of stream) break;
  expect(left).toEqual(["left"]);
  expect(stream.isReading).toBe(false);
});

test("a reader may leave while it waits for a value", async () => {
  const { stream, left } = view();
  const reader = stream[Symbol.asyncIterator]();
  const waiting = reader.next();
  await reader.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(left).toEqual(["left"]);
});

test("a second reader is an error that says why", () => {
  const { stream } = view();
  stream[Symbol.asyncIterator]();
  expect(() => stream[Symbol.asyncIterator]()).toThrow("fullStream can be read once");
});
