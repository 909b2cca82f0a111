import { expect, test } from "vitest";
import { deferHeaders } from "../../../src/worker/load-engine.ts";

/** The two globals as Node.js has them: a look at either loads its HTTP client. */
function scopeThatTells() {
  const looks: string[] = [];
  const scope: { Headers?: typeof Headers; Response?: typeof Response } = {};
  for (const [name, value] of [
    ["Headers", Headers],
    ["Response", Response],
  ] as const) {
    Object.defineProperty(scope, name, {
      configurable: true,
      get() {
        looks.push(name);
        return value;
      },
    });
  }
  return { scope, looks };
}

test("whoever copies Headers meanwhile makes real headers with the copy, and only that looks at a global", () => {
  const { scope, looks } = scopeThatTells();
  const restore = deferHeaders(scope);
  const Copied = scope.Headers;
  restore();
  expect(looks).toEqual([]);
  const headers = Copied && new Copied({ accept: "text/plain" });
  expect(headers).toBeInstanceOf(Headers);
  expect(headers?.get("accept")).toBe("text/plain");
  expect(new Set(looks)).toEqual(new Set(["Response"]));
});

test("afterwards the scope has the real class, and takes another", () => {
  const { scope } = scopeThatTells();
  deferHeaders(scope)();
  expect(scope.Headers).toBe(Headers);
  class Other extends Headers {}
  scope.Headers = Other;
  expect(scope.Headers).toBe(Other);
});

test("a scope without Headers, or with one that stays, is left alone", () => {
  const empty = {};
  deferHeaders(empty)();
  expect(Object.getOwnPropertyNames(empty)).toEqual([]);
  const fixed = Object.freeze({ Headers, Response });
  deferHeaders(fixed)();
  expect(fixed.Headers).toBe(Headers);
});
