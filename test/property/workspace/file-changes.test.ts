/** Random work on a tree: what the index reports equals what a plain reading of everything before and after shows. */
import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ChangeTracker } from "../../../src/shell/change-tracker.ts";
import { isFsError } from "../../../src/workspace/fs-error.ts";
import { MountFs } from "../../../src/workspace/mount-fs.ts";
import { TouchLog } from "../../../src/workspace/touch-log.ts";

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

/** A file known by one name gets another from others, and is changed by that one. */
const LINKED_MEANWHILE = [
  { others: [], steps: [{ op: "append" as const, path: "/work/c", content: "" as const }] },
  { others: [{ op: "link" as const, path: "/work/c", other: "/work/a" }], steps: [] },
  { others: [], steps: [{ op: "append" as const, path: "/work/a", content: "2222" as const }] },
];

test("what is told beforehand is enough to report exactly what changed, whatever others did in between", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          others: fc.array(step, { maxLength: 3 }),
          steps: fc.array(step, { maxLength: 8 }),
        }),
        { maxLength: 4 },
      ),
      fc.boolean(),
      async (commands, isTold) => {
        const host = mkdtempSync(join(tmpdir(), "workspace-"));
        try {
          const mounts = [{ path: "/work", backingPath: host, access: "rw", tracked: true }] as const;
          const tracker = new ChangeTracker({ mounts, isTold });
          const whole = new MountFs({ mounts });
          const log = new TouchLog(["/work"]);
          const fs = whole.view(log);
          for (const { others, steps } of commands) {
            for (const each of others) await attempt(whole, each);
            const before = readAll(host, "/work");
            const frame = await tracker.open("command");
            log.direct((paths) => tracker.touch(frame, paths));
            for (const each of steps) await attempt(fs, each);
            log.direct(null);
            const { changes, unknown } = await tracker.close(frame);
            expect(unknown).toBeUndefined();
            expect(changes.map(({ change, path, kind }) => `${path} ${change} ${kind}`).sort()).toEqual(
              changesBetween(before, readAll(host, "/work")),
            );
            for (const { path: at, sha256 } of changes)
              if (sha256 !== undefined)
                expect(sha256).toBe(
                  createHash("sha256")
                    .update(readFileSync(join(host, at.slice("/work/".length))))
                    .digest("hex"),
                );
          }
        } finally {
          rmSync(host, { recursive: true });
        }
      },
    ),
    { numRuns: 200, examples: [[LINKED_MEANWHILE, true]] },
  );
}, 120_000);

async function attempt(
  fs: MountFs,
  each: typeof step extends fc.Arbitrary<infer T> ? T : never,
): Promise<void> {
  await perform(fs, each).catch((error: unknown) => {
    if (!isFsError(error)) throw error;
  });
}
