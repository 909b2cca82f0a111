/**
 * The engine alone, on every script that a file of ours makes right. A test that fails here is good news: the
 * engine does it right by itself now, and the file that the case names can go.
 */
import { Bash, type BashOptions } from "just-bash";
import { describe, expect, test } from "vitest";
import { corpus } from "../fixtures/corpus/corpus.ts";
import { treeFiles } from "../fixtures/corpus/tree.ts";
import { recordedTruth, toTruth } from "../fixtures/corpus/truth.ts";

const truth = recordedTruth();
const covered = corpus.filter(({ covers }) => covers !== undefined);

function engineAlone(): Bash {
  const files: BashOptions["files"] = {};
  for (const [name, content] of Object.entries(treeFiles)) files[`/${name}`] = content;
  return new Bash({
    files,
    cwd: "/work",
    defenseInDepth: false,
    executionLimits: { maxCommandCount: 10_000 },
  });
}

describe.each(covered)("$name ($covers)", ({ name, steps }) => {
  test("comes out wrong in the engine alone", async () => {
    const { files: _, ...real } = truth.get(name) ?? { exitCode: -1 };
    const result = await engineAlone()
      .exec(steps[0]?.exec ?? "")
      .catch(() => ({ exitCode: -1, stdout: "it throws" }));
    expect(toTruth(result.exitCode, Buffer.from(result.stdout), {})).not.toEqual(real);
  });
});
