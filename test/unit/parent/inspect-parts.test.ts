import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../build/paths.ts";
import { inspectNode, inspectWorker, OLDEST_NODE, ownNode } from "../../../src/parent/inspect-parts.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

test("the oldest Node.js is the one that package.json asks for", () => {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    engines: { node: string };
  };
  expect(engines.node).toBe(`>=${OLDEST_NODE}`);
});

test.each([
  ["v18.20.4", false, []],
  ["v20.18.0", false, []],
  ["v20.18.1", true, []],
  ["v22.14.0", true, ["inspector"]],
  ["v22.15.0", true, ["level full", "inspector"]],
  ["v23.4.0", true, []],
  ["v24.0.0", true, ["level full", "inspector"]],
  ["v26.1.0-nightly", true, ["level full", "inspector", "sockets"]],
])("%s: supported %s, and has what came by then", async (version, supported, has) => {
  const file = join(tempDir(), "node");
  writeFileSync(file, `#!/bin/sh\necho ${version}\n`);
  chmodSync(file, 0o755);
  const facts = await inspectNode(file);
  expect(facts).toMatchObject({ path: file, version: version.replace(/-.*/, ""), supported });
  const here = facts.differences.filter((difference) => difference.here).map(({ what }) => what);
  expect(here).toEqual(has.map((part) => expect.stringContaining(part) as string));
});

test("this Node.js is described without asking it", () => {
  expect(ownNode()).toMatchObject({ path: process.execPath, version: process.version, problem: null });
});

test("a worker whose folder does not tell its build is not held against it", () => {
  const folder = join(tempDir(), "worker");
  mkdirSync(folder);
  writeFileSync(join(folder, "main.js"), "");
  expect(inspectWorker(folder)).toMatchObject({
    path: join(folder, "main.js"),
    buildId: null,
    problem: null,
  });
});
