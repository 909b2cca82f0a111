import { expect, test } from "vitest";
import { settleSoon, TurnStop } from "../../../src/harness/turn-stop.ts";

test("the caller's signal stops the turn with its reason, and is let go of in the end", () => {
  const outer = new AbortController();
  const stop = new TurnStop(outer.signal);
  outer.abort("enough");
  expect(stop.signal.reason).toBe("enough");
  expect(stop.broken).toBeUndefined();
  const other = new AbortController();
  const released = new TurnStop(other.signal);
  released.release();
  other.abort();
  expect(released.signal.aborted).toBe(false);
});

test("a signal that was aborted before stops at once", () => {
  expect(new TurnStop(AbortSignal.abort("early")).signal.reason).toBe("early");
});

test("what breaks a turn is kept, unless it was stopped before", () => {
  const stop = new TurnStop(undefined);
  stop.breakBy("no sandbox");
  stop.breakBy("later");
  expect(stop.broken).toEqual({ by: "no sandbox" });
  const stopped = new TurnStop(undefined);
  stopped.stop("enough");
  stopped.breakBy("no sandbox");
  expect(stopped.broken).toBeUndefined();
});

test("work that ignores the abort is left behind, work that ends by itself is waited for", async () => {
  const signal = AbortSignal.abort("enough");
  await expect(settleSoon(new Promise(() => undefined), signal, 1)).rejects.toBe("enough");
  await expect(settleSoon(Promise.resolve(1), signal, 60_000)).resolves.toBe(1);
});
