/** Whatever a shell of tier 0 says that its variables are, a real bash that takes them over runs nothing of it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { STATE_SCRIPT, toHandedState } from "../../../src/shell/handed-state.ts";

const folder = mkdtempSync(join(tmpdir(), "harness-handed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Runs in a bash whose directory is `folder`: code that comes to run leaves a file there. */
function markersAfter(scripts: readonly string[], isInFunction: boolean): readonly string[] {
  // Each in a shell of its own, which one that does not parse ends alone.
  const text = scripts
    .map((script) => `( eval ${quoted(isInFunction ? `f() {\n${script}\n}\nf` : script)} ) >/dev/null 2>&1`)
    .join("\n");
  spawnSync("/bin/bash", ["--norc"], { cwd: folder, input: text, env: { PATH: "/usr/bin:/bin" } });
  return readdirSync(folder);
}

const payload = fc.constantFrom(
  "$(>M1)",
  "`>M2`",
  "a[$(>M3)]",
  "x[`>M4`]=1",
  "$((a[$(>M5)]))",
  "; >M6 #",
  "\n>M7\n",
  "<(>M8)",
  "${x:=$(>M9)}",
  "'; >M10; '",
  '"; >M11; "',
  "\\'; >M12; #",
  '\\"; >M13; #',
  ")\n>M14\n(",
  "]=1) ; >M15 #",
);
const harmless = fc.constantFrom(
  "",
  "a",
  "1",
  "0",
  "-1",
  "b c",
  "@",
  "*",
  "~",
  "]",
  "=",
  "\\",
  "'",
  '"',
  "$'",
  "é",
);
const hostile = fc.oneof(
  // What arithmetic evaluates.
  fc.constantFrom("a[$(>M16)]", "b[`>M17`]+1"),
  fc.array(fc.oneof(payload, harmless), { maxLength: 4 }).map((parts) => parts.join("")),
);
const name = fc.constantFrom(
  "a",
  "x",
  "m",
  "LANG",
  "HOME",
  "PATH",
  "OLDPWD",
  "PS4",
  "RANDOM",
  "SECONDS",
  "OPTIND",
  "_a1",
);
const flags = fc.oneof(
  fc.constantFrom(
    "-",
    "i",
    "ai",
    "Ai",
    "a",
    "A",
    "n",
    "nr",
    "r",
    "ir",
    "air",
    "Air",
    "x",
    "ix",
    "l",
    "u",
    "c",
    "t",
    "aA",
    "g",
    "f",
    "p",
  ),
  fc.string({ unit: fc.constantFrom(..."aAilnrtuxgfFpc-"), minLength: 1, maxLength: 4 }),
);
/** As `declare -p` quotes. */
const word = fc
  .tuple(hostile, fc.boolean())
  .map(([text, isAnsi]) =>
    isAnsi
      ? `$'${text.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n")}'`
      : `"${text.replace(/[\\"$`]/g, "\\$&")}"`,
  );
const element = fc.tuple(fc.oneof(word, hostile), word).map(([key, value]) => `[${key}]=${value}`);
const value = fc.oneof(
  word,
  fc.array(element, { maxLength: 3 }).map((elements) => `(${elements.join(" ")})`),
  hostile,
);
const declaration = fc
  .tuple(flags, name, fc.option(value))
  .map(([letters, named, given]) => `declare -${letters} ${named}${given === null ? "" : `=${given}`}`);
const state = fc
  .array(fc.oneof({ weight: 5, arbitrary: declaration }, hostile), { maxLength: 6 })
  .map((lines) => `${lines.join("\n")}\n\0${folder}\n`);

test("nothing of a state that is printed runs when it is taken over, however it was forged", () => {
  fc.assert(
    fc.property(fc.array(state, { minLength: 10, maxLength: 20 }), fc.boolean(), (states, isInFunction) => {
      const scripts = states.map((printed) => toHandedState(printed)?.script ?? ":");
      expect(markersAfter(scripts, isInFunction)).toEqual([]);
    }),
    { numRuns: 5 },
  );
});

test("nor of a state that a real bash has, with each attribute", () => {
  const given = fc.record({
    value: hostile,
    key: hostile,
    letters: fc.constantFrom("i", "ai", "Ai", "A", "n", "r", "x", "l", "u", "a"),
  });
  fc.assert(
    fc.property(fc.array(given, { minLength: 10, maxLength: 20 }), (variables) => {
      // The value comes before the attribute, and a map's key is quoted twice, so that this bash evaluates nothing either.
      const lines = variables.map(({ value: text, key, letters }, at) =>
        letters.includes("A")
          ? `declare -A v${at}; k=${quoted(`k${key}`)}; v${at}[$k]=${quoted(text)}; declare -${letters} v${at}`
          : `v${at}=${quoted(text)}; declare -${letters} v${at}`,
      );
      const printed = spawnSync(
        "/bin/bash",
        ["--norc", "-c", `{ ${lines.join("\n")}\n} 2>/dev/null; ${STATE_SCRIPT}`],
        {
          cwd: folder,
          encoding: "utf8",
          env: { PATH: "/usr/bin:/bin" },
        },
      );
      expect(readdirSync(folder)).toEqual([]);
      expect(markersAfter([toHandedState(printed.stdout)?.script ?? "exit"], false)).toEqual([]);
    }),
    { numRuns: 5 },
  );
});
