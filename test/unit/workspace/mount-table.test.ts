/** Rights on a file system that finds a file under other spellings of its name, as those of macOS and Windows do. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { foldSpelling, MountTable } from "../../../src/workspace/mount-table.ts";
import { makeDirectory } from "./helpers.ts";

test("a read-only prefix holds under every spelling that means it, and on Linux under its own alone", () => {
  const root = makeDirectory();
  mkdirSync(join(root, "inner"));
  const mounts = [
    {
      path: "/work",
      backingPath: root,
      access: "rw",
      tracked: true,
      readOnlyPrefixes: ["/work/\u00c9t\u00e9"],
    },
    { path: "/work/Inner", backingPath: join(root, "inner"), access: "ro", tracked: true },
  ] as const;
  const [folded, exact] = [new MountTable(mounts, foldSpelling), new MountTable(mounts, (path) => path)];
  const spellings = ["/work/\u00c9t\u00e9/f", "/WORK/\u00e9T\u00c9/f", "/work/E\u0301te\u0301/f"];
  expect(spellings.map((path) => folded.isReadOnly(path))).toEqual([true, true, true]);
  expect(spellings.map((path) => exact.isReadOnly(path))).toEqual([true, false, false]);
  expect(folded.mountAt("/work/INNER")?.path).toBe("/work/Inner");
  expect(exact.mountAt("/work/INNER")).toBeUndefined();
  expect(folded.isHeldInPlace("/WORK")).toBe(true);
  expect(folded.hasMountBelow("/Work")).toBe(true);
  expect(folded.isReadOnly("/work/other")).toBe(false);
});
