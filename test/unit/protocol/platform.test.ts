import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../../", import.meta.url);
const folder = new URL("src/protocol/", root);
const sources = readdirSync(folder)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => [name, readFileSync(new URL(name, folder), "utf8")] as const);

test.each(sources)("%s imports nothing from outside the protocol folder", (_name, source) => {
  const imported = [...source.matchAll(/\bfrom "([^"]+)"/g)].map(([, path]) => path);
  expect(imported.filter((path) => !/^\.\/[a-z-]+\.ts$/.test(path ?? ""))).toEqual([]);
  expect(source).not.toMatch(/\bimport\(|\brequire\(/);
});

test.each(sources)("%s uses no timer, no process and no Node buffer", (_name, source) => {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  expect(code).not.toMatch(/\b(setTimeout|setInterval|setImmediate|process|Buffer|window|document|fetch)\b/);
  expect(code).not.toMatch(/\bnew Function\b|\beval\b/);
});

test("the protocol compiles without the types of Node", () => {
  const tsc = new URL("node_modules/typescript/bin/tsc", root).pathname;
  execFileSync(process.execPath, [tsc, "--noEmit", "-p", new URL("tsconfig.json", folder).pathname]);
});
