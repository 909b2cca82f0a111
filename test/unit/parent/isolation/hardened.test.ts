import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { hardenedLaunch } from "../../../../src/parent/isolation/hardened.ts";
import type { Launch, LaunchInput, Unavailable } from "../../../../src/parent/isolation/launch.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

let workerFile: string;
beforeEach(() => {
  workerFile = join(tempDir(), "main.js");
  writeFileSync(join(dirname(workerFile), "lockdown.js"), "");
});

function launch(mounts: LaunchInput["mounts"], more: Partial<LaunchInput> = {}): Launch | Unavailable {
  const input = {
    workerFile,
    nodePath: "/usr/bin/node",
    ownNode: true,
    execArgv: [],
    env: {},
    network: false,
  };
  return hardenedLaunch({ ...input, mounts, ...more }, { major: 24, minor: 0 });
}

function grants(made: Launch | Unavailable): string[] {
  if ("unavailable" in made) throw new Error(made.unavailable);
  return made.args.filter((argument) => argument.startsWith("--allow-fs"));
}

test("each mount may be read, each rw mount written, and the worker's folder read", () => {
  const made = launch([
    { backingPath: "/data/a", access: "rw" },
    { backingPath: "/data/b", access: "ro" },
  ]);
  expect(grants(made)).toEqual([
    `--allow-fs-read=${dirname(workerFile)}`,
    "--allow-fs-read=/data/a",
    "--allow-fs-read=/data/b",
    "--allow-fs-write=/data/a",
  ]);
});

// Node.js 20 aborts when a directory and what is below it are both granted in some forms.
test("a mount below another is granted once", () => {
  const made = launch([
    { backingPath: "/data", access: "ro" },
    { backingPath: "/data/sub", access: "rw" },
  ]);
  expect(grants(made).slice(1)).toEqual(["--allow-fs-read=/data", "--allow-fs-write=/data/sub"]);
});

test.each([
  ["a name that continues another's", ["/data/x", "/data/xy"], "whose names start alike"],
  ["a pattern", ["/data/*"], 'its own meaning for "*"'],
  ["a list", ["/data/a,b"], 'its own meaning for "*" and ","'],
])("%s is refused with the reason", (_, paths, reason) => {
  const made = launch(paths.map((backingPath) => ({ backingPath, access: "rw" })));
  expect(made).toEqual({ unavailable: expect.stringContaining(reason) as string });
});

test("the worker's code may lie in a read-only mount, but not in one that can be written", () => {
  const above = dirname(dirname(workerFile));
  expect(launch([{ backingPath: above, access: "ro" }])).toMatchObject({ rung: "hardened" });
  expect(launch([{ backingPath: above, access: "rw" }])).toEqual({
    unavailable: `the mounted directory ${above} holds the worker's own code and is not read-only`,
  });
});

test("a mount inside the worker's folder is refused", () => {
  const inside = join(dirname(workerFile), "data");
  mkdirSync(inside);
  expect(launch([{ backingPath: inside, access: "ro" }])).toEqual({
    unavailable: `the mounted directory ${inside} lies in the worker's folder`,
  });
});

test("a worker without its lockdown is refused", () => {
  const bare = join(tempDir(), "main.js");
  expect(launch([], { workerFile: bare })).toEqual({
    unavailable: `the worker's folder ${dirname(bare)} has no lockdown.js`,
  });
});

test.each([
  "--allow-child-process",
  "--no-permission",
  "--import=/x.mjs",
  "-r",
  "--inspect=0",
  "--require=/x.cjs",
])("%s in execArgv is refused", (flag) => {
  expect(launch([], { execArgv: [flag] })).toEqual({
    unavailable: `execArgv holds ${flag}, which would change the rights of the worker`,
  });
});
