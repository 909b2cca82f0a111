import { describe, expect, test } from "vitest";
import { isSince, parseNodeVersion } from "../../../../src/parent/isolation/node-version.ts";
import { permissionFlags } from "../../../../src/parent/isolation/permission-flags.ts";

const always = [
  "--allow-worker",
  "--no-addons",
  "--disable-proto=delete",
  "--disable-warning=SecurityWarning",
  "--disable-warning=ExperimentalWarning",
];
const rights = { read: ["/app/worker", "/data"], write: ["/data"] };
const granted = ["--allow-fs-read=/app/worker", "--allow-fs-read=/data", "--allow-fs-write=/data"];
const lockdown = "--import=file:///app/worker/lockdown.js";

// Written out: a flag that a Node.js does not know ends it, and one that is missing leaves a door open.
test.each([
  ["20.18.1", ["--experimental-permission"], []],
  ["22.12.0", ["--experimental-permission"], ["--no-experimental-sqlite", "--no-experimental-websocket"]],
  ["22.13.0", ["--permission"], ["--no-experimental-sqlite", "--no-experimental-websocket"]],
  ["23.4.0", ["--experimental-permission"], ["--no-experimental-sqlite", "--no-experimental-websocket"]],
  [
    "24.0.0",
    ["--permission"],
    ["--no-experimental-sqlite", "--no-experimental-websocket", "--disable-sigusr1"],
  ],
  [
    "26.1.0",
    ["--permission"],
    ["--no-experimental-sqlite", "--no-experimental-websocket", "--disable-sigusr1"],
  ],
])("the flags for Node.js %s", (version, first, last) => {
  const flags = permissionFlags(known(version), "/app/worker/main.js", rights, false);
  expect(flags).toEqual([...first, ...granted, ...always, ...last, lockdown]);
});

describe("with a network in the workspace", () => {
  test("the lockdown leaves sockets alone", () => {
    const flags = permissionFlags(known("20.18.1"), "/app/worker/main.js", rights, true);
    expect(flags.at(-1)).toBe(`${lockdown}?network=allowed`);
    expect(flags).not.toContain("--allow-net");
  });
  test("the permission model does too, where it knows sockets", () => {
    const flags = permissionFlags(known("25.0.0"), "/app/worker/main.js", rights, true);
    expect(flags).toContain("--allow-net");
  });
});

test("in a jail all files are allowed, since the jail is the wall around them", () => {
  const flags = permissionFlags(known("24.0.0"), "/worker/main.js", "all", false);
  expect(flags.slice(0, 3)).toEqual(["--permission", "--allow-fs-read=*", "--allow-fs-write=*"]);
});

test("a version counts from the release of its own line on, and later lines have it all", () => {
  const since = ["22.14", "23.7"];
  const has = (text: string): boolean => isSince(known(text), since);
  expect(["20.99.0", "22.13.9", "22.14.0", "23.6.0", "23.7.0", "24.0.0"].map(has)).toEqual([
    false,
    false,
    true,
    false,
    true,
    true,
  ]);
});

test.each(["", "node", "v20", "20.x.1"])("%o is no version", (text) => {
  expect(parseNodeVersion(text)).toBeNull();
});

function known(text: string): { major: number; minor: number } {
  const version = parseNodeVersion(text);
  if (version === null) throw new Error(`${text} is no version`);
  return version;
}
