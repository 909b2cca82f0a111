/** Random file operations through random doors: what is reported is what two readings of everything show. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { changesBetween, linesOf, readTree } from "../helpers/read-tree.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const name = fc.constantFrom("a", "b", "c c", "-d", "é", "sub/a", "sub/b", "sub/deep/a");
const text = fc.constantFrom("", "same", "SAME", "longer text", "é\n");
const q = (value: string): string => `'${value}'`;

/** A line of shell for one operation. Failures are part of the game. */
const operation = fc.oneof(
  fc.record({ at: name, text }).map(({ at, text: t }) => `printf %s ${q(t)} > ./${q(at)}`),
  fc.record({ at: name, text }).map(({ at, text: t }) => `printf %s ${q(t)} >> ./${q(at)}`),
  fc.record({ at: name, text }).map(({ at, text: t }) => `cat > ./${q(at)} <<'X'\n${t}\nX\n`),
  fc.record({ at: name, text }).map(({ at, text: t }) => `printf %s ${q(t)} | tee ./${q(at)} >/dev/null`),
  name.map((at) => `sed -i s/same/SAME/ ./${q(at)}`),
  name.map((at) => `mkdir -p ./${q(at)}`),
  name.map((at) => `touch ./${q(at)}`),
  name.map((at) => `chmod 640 ./${q(at)}`),
  name.map((at) => `rm -rf ./${q(at)}`),
  fc.record({ a: name, b: name }).map(({ a, b }) => `mv ./${q(a)} ./${q(b)}`),
  fc.record({ a: name, b: name }).map(({ a, b }) => `cp -r ./${q(a)} ./${q(b)}`),
  fc.record({ a: name, b: name }).map(({ a, b }) => `ln ./${q(a)} ./${q(b)}`),
  fc.record({ a: name, b: name }).map(({ a, b }) => `ln -s ${q(a)} ./${q(b)}`),
  fc.constant("tar cf t.tar sub; rm -rf sub; tar xf t.tar"),
  fc.constant("split -b 3 ./a part-"),
  fc.constant("mv sub other; mv other sub"),
  fc
    .record({ at: name, text })
    .map(
      ({ at, text: t }) =>
        `js-exec -c ${JSON.stringify(`require("fs").writeFileSync(${JSON.stringify(at)}, ${JSON.stringify(t)})`).replaceAll("$", "\\$")}`,
    ),
  fc.record({ at: name }).map(({ at }) => `sqlite3 ./${q(at)} "create table if not exists t(a)"`),
);
/** What somebody else does on the host between two commands. */
const byOthers = fc.option(fc.record({ at: fc.constantFrom("a", "b", "c c"), text }));

test("random operations through random doors are reported exactly, and nothing outside is touched", async () => {
  const root = tempDir();
  const directory = join(root, "w");
  mkdirSync(directory);
  writeFileSync(join(root, "outside"), "mine");
  const { sandbox } = await openForTest({ mounts: { "/w": directory } });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ byOthers, lines: fc.array(operation, { minLength: 1, maxLength: 5 }) }), {
        minLength: 1,
        maxLength: 5,
      }),
      async (commands) => {
        await sandbox.exec("rm -rf /w/* /w/.[!.]*");
        for (const { byOthers: other, lines } of commands) {
          if (other !== null) {
            try {
              writeFileSync(join(directory, other.at), other.text);
            } catch {
              // A directory is there now: then nobody did anything.
            }
          }
          const before = readTree(directory, "/w");
          const script = lines.map((line) => `{ ${line}\n} 2>/dev/null`).join("\n");
          const result = await sandbox.exec(script);
          expect(result.ending, script).toEqual({ kind: "exited" });
          expect(linesOf(result.changes), script).toEqual(changesBetween(before, readTree(directory, "/w")));
          expect(readdirSync(root)).toEqual(["outside", "w"]);
          expect(readFileSync(join(root, "outside"), "utf8")).toBe("mine");
        }
      },
    ),
    { numRuns: 60, interruptAfterTimeLimit: 15_000, markInterruptAsFailure: false },
  );
}, 120_000);
