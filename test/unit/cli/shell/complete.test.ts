import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type CompletionPlace, complete } from "../../../../src/cli/shell/complete.ts";
import { createShellRuntime } from "../../../../src/sandbox.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

let directory: string;
let place: CompletionPlace;

beforeEach(() => {
  directory = tempDir();
  for (const name of ["sub", "sub/deep", "a dir", "many"]) mkdirSync(join(directory, name));
  for (const name of ["alpha", "alpine", ".hidden", "it's", "$x", "sub/one", "e\u001b[2Jx", "\u202efdp"])
    writeFileSync(join(directory, name), "");
  symlinkSync("sub", join(directory, "link"));
  const { fs } = createShellRuntime({
    workspace: {
      mounts: [{ path: "/w", backingPath: directory, access: "rw", tracked: false }],
      cwd: "/w",
      capabilities: { python: false, javascript: false },
    },
    emit: () => undefined,
    execute: async () => ({ exitCode: 0, stdout: "", stderr: "" }),
  });
  place = { fs, cwd: "/w" };
});

test.each([
  ["cat su", [["sub/"], "su"]],
  ["cat sub/o", [["sub/one "], "sub/o"]],
  ["cat /w/sub/d", [["/w/sub/deep/"], "/w/sub/d"]],
  ["cat ../w/sub/d", [["../w/sub/deep/"], "../w/sub/d"]],
  ["cat link", [["link/"], "link"]],
  ["cat al", [["alp"], "al"]],
  ["cat alp", [["alpha", "alpine"], "alp"]],
  ["cat .h", [[".hidden "], ".h"]],
  ["cat a\\ d", [["a\\ dir/"], "a\\ d"]],
  ['cat "a d', [['"a dir/'], '"a d']],
  ["cat 'it", [["'it'\\''s' "], "'it"]],
  ["cat it", [["it\\'s "], "it"]],
  ["cat \\$", [[], "cat \\$"]],
  ["x=1; cat <su", [["sub/"], "su"]],
  ["cat sub/zzz", [[], "sub/zzz"]],
  ["cat nowhere/", [[], "nowhere/"]],
  ["cat $HO", [[], "cat $HO"]],
  ["cat e", [[], "e"]],
  ["cat \u202e", [[], "\u202e"]],
  ["unal", [["unalias "], "unal"]],
  ["if unal", [["unalias "], "unal"]],
  ["x | unal", [["unalias "], "unal"]],
  ["./su", [["./sub/"], "./su"]],
] as const)("completes %j", async (before, expected) => {
  expect(await complete(before, place)).toEqual(expected);
});

test("a long list is shown in part, with the number of the rest", async () => {
  for (let index = 0; index < 300; index++)
    writeFileSync(join(directory, "many", `${index % 7}-${index}`), "");
  const [words] = await complete("cat many/", place);
  expect(words).toHaveLength(201);
  expect(words.at(-1)).toBe("… 100 more");
});

test("relative paths start where the shell stands, and hidden names only where they are asked for", async () => {
  expect(await complete("ls ", { ...place, cwd: "/w/sub" })).toEqual([["deep/", "one"], ""]);
  const [words] = await complete("ls ", place);
  expect(words).not.toContain(".hidden");
});
