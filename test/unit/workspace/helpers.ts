/** Real directories for the tests of the workspace. */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import type { HarnessMount } from "../../../src/shared/workspace-spec.ts";
import { MountFs, type MountFsOptions } from "../../../src/workspace/mount-fs.ts";

const made: string[] = [];

afterAll(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** A fresh directory, removed after the test file. */
export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "workspace-"));
  made.push(directory);
  return directory;
}

/** Mounts over fresh directories: `work` rw at /work, `docs` ro at /docs; `outside` is mounted nowhere. */
export function makeWorkspace(options: Partial<MountFsOptions> = {}, more: Partial<HarnessMount> = {}) {
  const root = makeDirectory();
  const [work, docs, outside] = ["work", "docs", "outside"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const directory of [work, docs, outside]) mkdirSync(directory);
  const mounts: HarnessMount[] = [
    { path: "/work", backingPath: work, access: "rw", tracked: true, ...more },
    { path: "/docs", backingPath: docs, access: "ro", tracked: true },
  ];
  const open = (over: Partial<MountFsOptions> = {}) => new MountFs({ mounts, ...options, ...over });
  return { root, work, docs, outside, mounts, open };
}

/** Everything below a directory as one text: names, kinds, modes, link targets and content. */
export function digestOf(directory: string): string {
  const lines: string[] = [];
  const visit = (path: string): void => {
    const stats = lstatSync(path);
    const content = stats.isFile()
      ? createHash("sha256").update(readFileSync(path)).digest("hex")
      : stats.isSymbolicLink()
        ? readlinkSync(path)
        : "";
    lines.push(`${path} ${stats.mode.toString(8)} ${stats.isDirectory() ? "" : stats.mtimeMs} ${content}`);
    if (stats.isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name));
  };
  visit(directory);
  return lines.join("\n");
}

/** The call fails with this POSIX code, in the sandbox's own terms. */
export async function failsWith(
  call: Promise<unknown>,
  code: string,
  hostRoot = join(tmpdir(), "workspace-"),
): Promise<void> {
  const error: unknown = await call.then(
    (value) => expect.fail(`expected ${code}, but the call gave ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code });
  expect(String(error)).not.toContain(hostRoot);
}
