/** Random calls with random paths over mounts with links in them: whatever they do, the walls stand. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isFsError } from "../../../src/workspace/fs-error.ts";
import { MountFs } from "../../../src/workspace/mount-fs.ts";
import { digestOf } from "../../unit/workspace/helpers.ts";

const name = fc.constantFrom(
  "a",
  "b",
  "c",
  "..",
  ".",
  "ro",
  "keep",
  "out",
  "up",
  "abs",
  "sub",
  "docs",
  "work",
  "",
);
const path = fc
  .tuple(fc.constantFrom("/work", "/work/sub", "/docs", "/work/a", "/"), fc.array(name, { maxLength: 4 }))
  .map(([start, names]) => [start, ...names].join("/"));

const call = fc.oneof(
  fc.record({
    op: fc.constantFrom("write", "append", "mkdir", "mkdirs", "rm", "rmr", "chmod", "utimes", "read", "list"),
    path,
  }),
  fc.record({ op: fc.constantFrom("cp", "cpr", "mv", "link", "symlink"), path, other: path }),
  fc.record({
    op: fc.constant("symlink"),
    path,
    target: fc.constantFrom(
      "HOST/outside",
      "../../outside",
      "../docs",
      "a",
      "/work/sub",
      "ro/keep",
      "HOST/docs",
    ),
  }),
);
type Call = { op: string; path: string; other?: string; target?: string };

async function perform(fs: MountFs, host: string, { op, path, other = "", target }: Call): Promise<unknown> {
  switch (op) {
    case "write":
      return fs.writeFile(path, "written");
    case "append":
      return fs.appendFile(path, "more");
    case "mkdir":
      return fs.mkdir(path);
    case "mkdirs":
      return fs.mkdir(path, { recursive: true });
    case "rm":
      return fs.rm(path);
    case "rmr":
      return fs.rm(path, { recursive: true, force: true });
    case "chmod":
      return fs.chmod(path, 0o755);
    case "utimes":
      return fs.utimes(path, new Date(1000), new Date(1000));
    case "read":
      return fs.readFile(path);
    case "list":
      return fs.readdirWithFileTypes(path);
    case "cp":
      return fs.cp(path, other);
    case "cpr":
      return fs.cp(path, other, { recursive: true });
    case "mv":
      return fs.mv(path, other);
    case "link":
      return fs.link(path, other);
    default:
      return fs.symlink(target?.replace("HOST", host) ?? other, path);
  }
}

test("no sequence of calls changes or shows what is outside, read-only or mounted elsewhere", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 40 }), async (calls) => {
      const host = realpathSync(mkdtempSync(join(tmpdir(), "workspace-")));
      try {
        for (const directory of ["work/ro/deep", "work/a", "docs/b", "outside/dir", "sub"]) {
          mkdirSync(join(host, directory), { recursive: true });
        }
        for (const file of ["outside/secret", "outside/dir/secret"])
          writeFileSync(join(host, file), "CANARY");
        for (const file of ["work/ro/keep", "work/ro/deep/keep", "docs/keep"])
          writeFileSync(join(host, file), "kept");
        symlinkSync("../outside", join(host, "work/out"));
        symlinkSync(join(host, "outside/secret"), join(host, "work/abs"));
        symlinkSync("../../../outside", join(host, "work/a/up"));
        symlinkSync("../work/ro", join(host, "docs/ro"));
        const fs = new MountFs({
          mounts: [
            {
              path: "/work",
              backingPath: join(host, "work"),
              access: "rw",
              tracked: true,
              readOnlyPrefixes: ["/work/ro"],
            },
            { path: "/work/sub", backingPath: join(host, "sub"), access: "rw", tracked: true },
            { path: "/docs", backingPath: join(host, "docs"), access: "ro", tracked: true },
          ],
        });
        const walls = () =>
          ["outside", "docs", "work/ro"].map((directory) => digestOf(join(host, directory)));
        const before = walls();
        for (const each of calls) {
          const result = await perform(fs, host, each).catch((error: unknown) => {
            if (!isFsError(error)) throw error;
            return error.message;
          });
          expect(JSON.stringify(result) ?? "").not.toContain("CANARY");
          expect(JSON.stringify(result) ?? "").not.toContain(host);
        }
        expect(walls()).toEqual(before);
        expect((await fs.stat("/work/sub")).isDirectory).toBe(true);
      } finally {
        rmSync(host, { recursive: true });
      }
    }),
    { numRuns: 200 },
  );
}, 120_000);
