import { afterEach, beforeEach, expect } from "vitest";

/** Fails each test of the file after which something was thrown or rejected that nobody handled. */
export function failOnStrays(): void {
  const strays: unknown[] = [];
  const collect = (error: unknown): void => {
    strays.push(error);
  };
  beforeEach(() => {
    strays.length = 0;
    process.on("unhandledRejection", collect);
    process.on("uncaughtException", collect);
  });
  afterEach(async () => {
    // Rejections are told to be unhandled one turn after they happened.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", collect);
    process.off("uncaughtException", collect);
    expect(strays).toEqual([]);
  });
}
