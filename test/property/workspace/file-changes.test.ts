/** Random work on a tree: what the index reports equals what a plain reading of everything before and after shows. */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { diffTrees } from "../../../src/workspace/file-changes.ts";
import { isFsError } from "../../../src/workspace/fs-error.ts";
import { MountFs } from "../../../src/workspace/mount-fs.ts";
import { TreeIndex, trackedMounts } from "../../../src/workspace/snapshot.ts";

/** Everything below a directory, read whole: path → kind and content. */
function readAll(directory: string, shownAs: string, found = new Map<string, string>()): Map<string, string> {
  for (const name of readdirSync(directory)) {
    const [host, path] = [join(directory, name), `${shownAs}/${name}`];
    const stats = lstatSync(host);
    if (stats.isSymbolicLink()) found.set(path, `symlink ${readlinkSync(host)}`);
    else if (stats.isDirectory()) readAll(host, path, found.set(path, "directory "));
    else found.set(path, `file ${readFileSync(host, "latin1")}`);
  }
  return found;
}

function changesBetween(before: Map<string, string>, after: Map<string, string>): string[] {
  const kind = (state = "") => state.slice(0, state.indexOf(" "));
  const lines: string[] = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(path), after.get(path)];
    if (old === now) continue;
    if (old !== undefined && now !== undefined && kind(old) === kind(now))
      lines.push(`${path} modified ${kind(now)}`);
    else {
      if (old !== undefined) lines.push(`${path} deleted ${kind(old)}`);
      if (now !== undefined) lines.push(`${path} created ${kind(now)}`);
    }
  }
  return lines.sort();
}

const path = fc
  .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 })
  .map((names) => `/work/${names.join("/")}`);
const content = fc.constantFrom("", "1111", "2222", "longer");
const step = fc.oneof(
  fc.record({ op: fc.constant("write" as const), path, content }),
  fc.record({ op: fc.constant("append" as const), path, content }),
  fc.record({ op: fc.constant("mkdir" as const), path }),
  fc.record({ op: fc.constant("rm" as const), path }),
  fc.record({ op: fc.constant("mv" as const), path, other: path }),
  fc.record({ op: fc.constant("cp" as const), path, other: path }),
  fc.record({ op: fc.constant("link" as const), path, other: path }),
  fc.record({ op: fc.constant("symlink" as const), path, content: fc.constantFrom("a", "b/c") }),
  fc.record({ op: fc.constant("utimes" as const), path }),
);

async function perform(
  fs: MountFs,
  each: typeof step extends fc.Arbitrary<infer T> ? T : never,
): Promise<void> {
  switch (each.op) {
    case "write":
      return fs.writeFile(each.path, each.content);
    case "append":
      return fs.appendFile(each.path, each.content);
    case "mkdir":
      return fs.mkdir(each.path, { recursive: true });
    case "rm":
      return fs.rm(each.path, { recursive: true });
    case "mv":
      return fs.mv(each.path, each.other);
    case "cp":
      return fs.cp(each.path, each.other, { recursive: true });
    case "link":
      return fs.link(each.path, each.other);
    case "symlink":
      return fs.symlink(each.content, each.path);
    case "utimes":
      return fs.utimes(each.path, new Date(1000), new Date(1000));
  }
}

test("full walks, and walks below the touched paths, report exactly what changed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 4 }), async (commands) => {
      const host = mkdtempSync(join(tmpdir(), "workspace-"));
      try {
        const mounts = [{ path: "/work", backingPath: host, access: "rw", tracked: true }] as const;
        const touched = new Set<string>();
        const fs = new MountFs({ mounts, onTouch: (at) => touched.add(at) });
        const [full, hinted] = [new TreeIndex(trackedMounts(mounts)), new TreeIndex(trackedMounts(mounts))];
        let [fullBefore, hintedBefore] = [full.walk(), hinted.walk()];
        for (const command of commands) {
          const before = readAll(host, "/work");
          for (const each of command) {
            await perform(fs, each).catch((error: unknown) => {
              if (!isFsError(error)) throw error;
            });
          }
          const expected = changesBetween(before, readAll(host, "/work"));
          const [fullAfter, hintedAfter] = [full.walk(), hinted.walkBelow([...touched])];
          touched.clear();
          const lines = (changes: ReturnType<typeof diffTrees>) =>
            changes.map(({ change, path, kind }) => `${path} ${change} ${kind}`).sort();
          expect(lines(diffTrees(fullBefore, fullAfter))).toEqual(expected);
          // A change of one hard-linked name shows under the others too, which no hint names.
          if (
            !command.some(({ op }) => op === "link") &&
            commands.every((other) => other.every(({ op }) => op !== "link"))
          ) {
            expect(lines(diffTrees(hintedBefore, hintedAfter))).toEqual(expected);
          }
          [fullBefore, hintedBefore] = [fullAfter, hintedAfter];
        }
      } finally {
        rmSync(host, { recursive: true });
      }
    }),
    { numRuns: 150 },
  );
}, 120_000);
