import { expect, test } from "vitest";
import { ShellSignal } from "../../../src/engine/shell-signal.ts";

/** Asks as the interpreter does in a busy loop: no timer gets its turn. */
function askUntil(signal: AbortSignal, condition: () => boolean): boolean {
  const end = Date.now() + 5_000;
  let seen = false;
  while (!condition() && Date.now() < end) seen = signal.aborted;
  return seen;
}

test("a deadline is seen without a timer", () => {
  const shell = new ShellSignal();
  shell.arm(null, 20);
  expect(shell.signal.aborted).toBe(false);
  askUntil(shell.signal, () => shell.signal.aborted);
  expect(shell.signal.aborted).toBe(true);
});

test("the deadline of a part fires for the part alone, without a timer, and once", () => {
  const shell = new ShellSignal();
  shell.arm(null, 60_000);
  const part = shell.limitPart(20);
  let fired = 0;
  part.signal.addEventListener("abort", () => fired++);
  expect(askUntil(shell.signal, () => part.signal.aborted)).toBe(false);
  expect([part.signal.aborted, shell.signal.aborted, fired]).toEqual([true, false, 1]);
  part.release();
  expect(shell.fired).toBe(false);
});

test("parts inside parts each have their own time", () => {
  const shell = new ShellSignal();
  const outer = shell.limitPart(60_000);
  const inner = shell.limitPart(20);
  askUntil(shell.signal, () => inner.signal.aborted);
  expect([outer.signal.aborted, inner.signal.aborted]).toEqual([false, true]);
  inner.release();
  const next = shell.limitPart(20);
  askUntil(shell.signal, () => next.signal.aborted);
  expect([outer.signal.aborted, next.signal.aborted]).toEqual([false, true]);
  next.release();
  outer.release();
});

test("a part that waits for an event is ended by its timer", async () => {
  const part = new ShellSignal().limitPart(10);
  await new Promise((resolve) => part.signal.addEventListener("abort", resolve));
  part.release();
});

test("a released part never fires", () => {
  const shell = new ShellSignal();
  const part = shell.limitPart(1);
  part.release();
  const later = shell.limitPart(20);
  askUntil(shell.signal, () => later.signal.aborted);
  later.release();
  expect(part.signal.aborted).toBe(false);
});
