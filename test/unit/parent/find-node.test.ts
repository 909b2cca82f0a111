/** The worker is a Node.js, and never a second run of the application that asked for it. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkNodePath, findNode, type HostProgram } from "../../../src/parent/find-node.ts";
import { subprocessSandbox } from "../../../src/sandbox/subprocess-sandbox.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const host = (given: Partial<HostProgram>): HostProgram => ({
  execPath: "/usr/bin/node",
  versions: { node: "22.15.0" },
  isSingleBinary: false,
  ...given,
});

test("the Node.js of this process is taken", () => {
  expect(findNode(null)).toBe(process.execPath);
});

test.each([
  "/usr/bin/node",
  "/usr/bin/nodejs",
  "/opt/node20",
  "/opt/node-22",
  "/opt/node-v22.1.0",
  "C:\\Program Files\\nodejs\\node.exe",
  "C:\\Program Files\\nodejs\\NODE.EXE",
])("%s is a Node.js", (execPath) => {
  expect(findNode(null, host({ execPath }))).toBe(execPath);
});

test.each([
  ["Bun 1.4.5", host({ execPath: "/usr/bin/bun", versions: { node: "24.3.0", bun: "1.4.5" } })],
  ["Bun 1.4.5", host({ execPath: "/tmp/bun-node/node", versions: { node: "24.3.0", bun: "1.4.5" } })],
  ["Deno 2.9.6", host({ execPath: "/usr/bin/deno", versions: { node: "24.0.0", deno: "2.9.6" } })],
  ["Electron 40.0.0", host({ execPath: "/opt/app/app", versions: { node: "22.0.0", electron: "40.0.0" } })],
  ["NW.js 0.99.0", host({ execPath: "/opt/app/nw", versions: { node: "22.0.0", nw: "0.99.0" } })],
  ["an application in one file (/opt/node)", host({ execPath: "/opt/node", isSingleBinary: true })],
  ['called "my-app"', host({ execPath: "/opt/my-app" })],
  ['called "node-app.exe"', host({ execPath: "C:\\app\\node-app.exe" })],
])("%s is not started as one, and the error asks for nodePath", (words, program) => {
  const find = () => findNode(null, program);
  expect(find).toThrow(words);
  expect(find).toThrow("Set nodePath");
  expect(find).toThrow(expect.objectContaining({ code: "NODE_NOT_FOUND" }) as Error);
});

test("a nodePath is taken as it is, whatever this process is", () => {
  const program = host({ execPath: "/usr/bin/bun", versions: { bun: "1.4.5" } });
  expect(findNode("/opt/node/bin/node", program)).toBe("/opt/node/bin/node");
});

test("a nodePath that is no program is told when it is given, by its name", () => {
  const folder = tempDir();
  const file = join(folder, "text");
  writeFileSync(file, "");
  chmodSync(file, 0o644);
  for (const [nodePath, why] of [
    ["/no/such/node", "is not there"],
    [folder, "is no file"],
    [file, "cannot be executed (EACCES)"],
  ] as const) {
    const open = () => subprocessSandbox({ nodePath });
    expect(open).toThrow(`nodePath "${nodePath}" ${why}`);
    expect(open).toThrow(expect.objectContaining({ code: "NODE_NOT_FOUND", data: { nodePath } }) as Error);
  }
  expect(() => checkNodePath("node")).not.toThrow();
  expect(() => checkNodePath(process.execPath)).not.toThrow();
});
