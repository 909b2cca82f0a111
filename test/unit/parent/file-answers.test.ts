import { expect, test } from "vitest";
import {
  parse,
  toAbsolutePath,
  toBoolean,
  toEntries,
  toFileStat,
  toText,
  toTexts,
} from "../../../src/parent/file-answers.ts";
import { isShellState } from "../../../src/parent/shell-state.ts";
import { toWalls } from "../../../src/parent/walls.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const kind = { isFile: true, isDirectory: false, isSymbolicLink: false };

test("an answer of the right shape is taken, without what does not belong to it", () => {
  expect(toFileStat({ ...kind, mode: 0o644, size: 3, mtimeMs: 1_000, extra: 1 })).toEqual({
    ...kind,
    mode: 0o644,
    size: 3,
    mtime: new Date(1_000),
  });
  expect(toEntries([{ name: "a", ...kind, extra: 1 }])).toEqual([{ name: "a", ...kind }]);
  expect(toTexts(["a"])).toEqual(["a"]);
  expect(toText("")).toBe("");
  expect(toBoolean(false)).toBe(false);
});

const wrong: unknown[] = [
  null,
  undefined,
  5,
  "x",
  [],
  {},
  [null],
  [5],
  [{ name: 5, ...kind }],
  [{ ...kind }],
];
for (const value of wrong) {
  test(`as a stat, ${JSON.stringify(value)} is refused`, () => {
    expect(toFileStat(value)).toBeNull();
  });
}

test("a stat with a number that is none is refused", () => {
  const stat = { ...kind, mode: 0o644, size: 3, mtimeMs: 1_000 };
  for (const bad of [
    { size: -1 },
    { size: "3" },
    { mode: Number.NaN },
    { mtimeMs: null },
    { isFile: 1 },
    { size: 0.5 },
    { mtimeMs: 9e99 },
  ]) {
    expect(toFileStat({ ...stat, ...bad })).toBeNull();
  }
});

test("a name that would lead elsewhere when it is joined to a directory is refused", () => {
  for (const name of ["", ".", "..", "a/b", "../../etc/passwd", "/etc/passwd", "a\0b"]) {
    expect(toEntries([{ name, ...kind }])).toBeNull();
  }
  for (const name of ["...", "a b", "-a", "a\\b", "a\nb"]) {
    expect(toEntries([{ name, ...kind }])).toEqual([{ name, ...kind }]);
  }
});

test("a path that does not start at the root is no absolute path", () => {
  for (const path of ["", "a", "../a", 5, null]) expect(toAbsolutePath(path)).toBeNull();
  expect(toAbsolutePath("/a")).toBe("/a");
});

const state = {
  cwd: "/w",
  variables: { x: "declare -- x=1" },
  unset: ["LANG"],
  functions: {},
  aliases: {},
};

test("a shell's state is taken only with all its parts, as texts, and names that are names", () => {
  expect(isShellState(state)).toBe(true);
  const bad = [
    { cwd: 1 },
    { cwd: "w" },
    { variables: [] },
    { variables: { x: 1 } },
    { functions: null },
    { aliases: "x" },
    { unset: {} },
    { unset: ["x; rm -rf /w"] },
  ];
  for (const change of bad) expect(isShellState({ ...state, ...change })).toBe(false);
  for (const value of [null, undefined, [], "x", { cwd: "/w" }]) expect(isShellState(value)).toBe(false);
});

test("entries, texts, text and boolean of another shape are refused", () => {
  for (const value of [null, 5, {}, [null], [5], [{ name: 5, ...kind }], [{ ...kind }], [{ name: "a" }]]) {
    expect(toEntries(value)).toBeNull();
  }
  for (const value of [null, {}, [5], [null]]) expect(toTexts(value)).toBeNull();
  expect(toText(5)).toBeNull();
  expect(toBoolean("true")).toBeNull();
});

test("bytes that are no JSON become no value", () => {
  expect(parse(bytes("{"))).toBeUndefined();
  expect(parse(new Uint8Array([0xff, 0xfe]))).toBeUndefined();
});

test("a report on walls is taken only as a short list of walls", () => {
  const wall = { name: "n", state: "holds", reason: "r" };
  expect(toWalls(bytes(JSON.stringify([{ ...wall, extra: 1 }])))).toEqual([wall]);
  const bad = [
    {},
    [5],
    [{ ...wall, state: "perfect" }],
    [{ ...wall, name: "n".repeat(501) }],
    Array(65).fill(wall),
  ];
  for (const value of bad) {
    expect(() => toWalls(bytes(JSON.stringify(value)))).toThrow(/no list of walls/);
  }
  expect(() => toWalls(bytes("x"))).toThrow(/no list of walls/);
});
