import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { syncDirectory, writeFileAtomic } from "../../../src/storage/write-file-atomic.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

test("of many writes at once one is there in the end, whole, and nothing beside it", async () => {
  const folder = tempDir();
  const path = join(folder, "a.json");
  const texts = Array.from({ length: 20 }, (_, index) => JSON.stringify({ index, pad: "x".repeat(50_000) }));
  await Promise.all(texts.map((text, index) => writeFileAtomic(path, text, { sync: index % 2 === 0 })));
  expect(texts).toContain(readFileSync(path, "utf8"));
  expect(readdirSync(folder)).toEqual(["a.json"]);
});

test("a write that fails leaves what was there, and nothing beside it", async () => {
  const folder = tempDir();
  mkdirSync(join(folder, "a"));
  await expect(writeFileAtomic(join(folder, "a"), "text")).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(["a"]);
  await expect(writeFileAtomic(join(folder, "none", "a"), "text")).rejects.toMatchObject({ code: "ENOENT" });
});

test.each(["EINVAL", "EPERM", "EISDIR", "EACCES"])(
  "a system that cannot sync a directory (%s) does it in its time",
  async (code) => {
    await syncDirectory("d", async () => Promise.reject(systemError(code)));
    await syncDirectory("d", async () => handleThat(systemError(code)));
  },
);

test.each(["EIO", "ENOSPC", "EMFILE"])(
  "an error that loses the name (%s) reaches the caller",
  async (code) => {
    const error = systemError(code);
    await expect(syncDirectory("d", async () => Promise.reject(error))).rejects.toBe(error);
    await expect(syncDirectory("d", async () => handleThat(error))).rejects.toBe(error);
  },
);

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function handleThat(failsWith: Error) {
  return { sync: () => Promise.reject(failsWith), close: async () => undefined };
}
