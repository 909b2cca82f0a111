/** What real bash was recorded to answer is what the machine's own bash answers in the jail, commands in a row. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { areas } from "../fixtures/corpus/corpus.ts";
import { noToolchain } from "../helpers/toolchain.ts";
import { openTaskRunner, type TaskRunner } from "./task-run.ts";

const { language, words, control, bytes, files } = areas;
const cases = [...language, ...words, ...control, ...bytes, ...files].filter(({ truth }) => truth === "bash");

/** Case → why it differs; `docs/toolchain.md` says so. */
const DIFFERENT: Readonly<Record<string, string>> = {
  "traps of a script, a subshell, a function":
    "a RETURN trap sees the `trap` that stands in for an EXIT trap",
};

const versions = readFileSync(new URL("../fixtures/corpus/truth-versions.txt", import.meta.url), "utf8");
const own = (): string => execFileSync("/bin/bash", ["--version"], { encoding: "utf8" }).split("\n")[0] ?? "";
const absent =
  noToolchain ?? (versions.includes(`bash: ${own()}`) ? null : "the answers are of another version of bash");

describe.skipIf(absent !== null)(
  `the machine's own bash${absent === null ? "" : ` (not tried: ${absent})`}`,
  () => {
    let runner: TaskRunner;
    beforeAll(async () => {
      runner = await openTaskRunner("toolchain");
    });
    afterAll(async () => {
      await runner?.close();
    });

    test.each(cases)("$name", async (corpusCase) => {
      const { ours, real, result } = await runner.run(corpusCase);
      if (corpusCase.name in DIFFERENT) expect(ours, "as in real bash by now").not.toEqual(real);
      else expect(ours, result.stderr).toEqual(real);
      expect(result.ending).toEqual({ kind: "exited" });
    });
  },
);
