import { expect, test } from "vitest";
import { deferHeaders } from "../../../src/worker/load-engine.ts";

function scopeWithGetter() {
  const looks: string[] = [];
  const scope: { Headers?: typeof Headers } = {};
  Object.defineProperty(scope, "Headers", {
    configurable: true,
    get() {
      looks.push("looked");
      return Headers;
    },
  });
  return { scope, looks };
}

test("whoever copies Headers meanwhile makes real headers with the copy, and only that looks at the global", () => {
  const { scope, looks } = scopeWithGetter();
  const restore = deferHeaders(scope);
  const Copied = scope.Headers;
  restore();
  expect(looks).toEqual([]);
  const headers = Copied && new Copied({ accept: "text/plain" });
  expect(headers).toBeInstanceOf(Headers);
  expect(headers?.get("accept")).toBe("text/plain");
  expect(looks).toEqual(["looked"]);
});

test("afterwards the scope has what it had", () => {
  const { scope } = scopeWithGetter();
  const before = Object.getOwnPropertyDescriptor(scope, "Headers");
  deferHeaders(scope)();
  expect(Object.getOwnPropertyDescriptor(scope, "Headers")).toEqual(before);
});

test("a scope without Headers, or with one that stays, is left alone", () => {
  const empty = {};
  deferHeaders(empty);
  expect(Object.keys(empty)).toEqual([]);
  const fixed = Object.freeze({ Headers });
  deferHeaders(fixed);
  expect(fixed.Headers).toBe(Headers);
});
