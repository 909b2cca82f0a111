import { expect, test } from "vitest";
import { parseRetryAfter, retryWaitMs } from "../../../src/session-log/retry-wait.ts";

test("the pause doubles from 100 ms to 5 s, and up to half of it is left to chance", () => {
  for (const [attempt, most] of [
    [1, 100],
    [2, 200],
    [5, 1_600],
    [7, 5_000],
    [99, 5_000],
  ] as const)
    for (let n = 0; n < 100; n++) {
      const ms = retryWaitMs(attempt);
      expect(ms).toBeGreaterThanOrEqual(most / 2);
      expect(ms).toBeLessThanOrEqual(most);
    }
});

test("a service is waited for as long as it asks, and no longer than 30 s with the chance on top", () => {
  for (let n = 0; n < 100; n++) {
    expect(retryWaitMs(1, 2_000)).toBeGreaterThanOrEqual(2_000);
    expect(retryWaitMs(1, 2_000)).toBeLessThanOrEqual(2_050);
    expect(retryWaitMs(1, 86_400_000)).toBeLessThanOrEqual(30_050);
    expect(retryWaitMs(7, 1)).toBeGreaterThanOrEqual(2_500);
  }
});

test("Retry-After is seconds or a date, and nothing else", () => {
  const now = Date.parse("2026-01-02T03:04:05Z");
  expect(parseRetryAfter("7", now)).toBe(7_000);
  expect(parseRetryAfter(" 0 ", now)).toBe(0);
  expect(parseRetryAfter("Fri, 02 Jan 2026 03:04:15 GMT", now)).toBe(10_000);
  expect(parseRetryAfter("Fri, 02 Jan 2026 03:04:00 GMT", now)).toBe(0);
  for (const text of [
    null,
    "",
    "-1",
    "1.5",
    "soon",
    "2026-01-02",
    "Fri, 99 Jan 2026 03:04:15 GMT",
    "9".repeat(40),
  ])
    expect(parseRetryAfter(text, now)).toBeUndefined();
});
