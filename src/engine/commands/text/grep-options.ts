/** What `grep` is asked for. */
import type { ExecResult } from "just-bash";
import { patternOf } from "../files/name-match.ts";
import { type GnuOption, type GnuProgram, parseGnuOptions } from "../gnu-options.ts";

export type GrepPatternKind = "basic" | "extended" | "fixed" | "perl";

export interface GrepRequest {
  readonly kind: GrepPatternKind;
  /** Given with `-e`; of `-f` the files, to be read in this order among them. */
  readonly patterns: readonly { readonly text?: string; readonly file?: string }[];
  readonly operands: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly before: number;
  readonly after: number;
  readonly maxCount: number;
  readonly label: string;
  readonly separator: string | null;
  readonly isColored: boolean;
  readonly binaryFiles: string;
  readonly directories: string;
  readonly include: readonly RegExp[];
  readonly exclude: readonly RegExp[];
  readonly excludeDirectories: readonly RegExp[];
  /** `-h` or `-H`, whichever came last. */
  readonly showsNames: boolean | undefined;
}

const flag = (short: string, long?: string): GnuOption => (long === undefined ? { short } : { short, long });
const value = (short: string, long: string): GnuOption => ({ short, long, value: "required" });

const options: Record<string, GnuOption> = {
  E: flag("E", "extended-regexp"),
  F: flag("F", "fixed-strings"),
  G: flag("G", "basic-regexp"),
  P: flag("P", "perl-regexp"),
  e: value("e", "regexp"),
  f: value("f", "file"),
  i: flag("i", "ignore-case"),
  y: flag("y"),
  noIgnoreCase: { long: "no-ignore-case" },
  w: flag("w", "word-regexp"),
  x: flag("x", "line-regexp"),
  z: flag("z", "null-data"),
  s: flag("s", "no-messages"),
  v: flag("v", "invert-match"),
  m: value("m", "max-count"),
  b: flag("b", "byte-offset"),
  n: flag("n", "line-number"),
  lineBuffered: { long: "line-buffered" },
  H: flag("H", "with-filename"),
  h: flag("h", "no-filename"),
  label: { long: "label", value: "required" },
  o: flag("o", "only-matching"),
  q: flag("q", "quiet"),
  silent: { long: "silent" },
  binaryFiles: { long: "binary-files", value: "required" },
  a: flag("a", "text"),
  I: flag("I"),
  d: value("d", "directories"),
  D: value("D", "devices"),
  r: flag("r", "recursive"),
  R: flag("R", "dereference-recursive"),
  include: { long: "include", value: "required" },
  exclude: { long: "exclude", value: "required" },
  excludeFrom: { long: "exclude-from", value: "required" },
  excludeDir: { long: "exclude-dir", value: "required" },
  L: flag("L", "files-without-match"),
  l: flag("l", "files-with-matches"),
  c: flag("c", "count"),
  T: flag("T", "initial-tab"),
  Z: flag("Z", "null"),
  A: value("A", "after-context"),
  B: value("B", "before-context"),
  C: value("C", "context"),
  groupSeparator: { long: "group-separator", value: "required" },
  noGroupSeparator: { long: "no-group-separator" },
  color: { long: "color", value: "optional" },
  colour: { long: "colour", value: "optional" },
  U: flag("U", "binary"),
  u: flag("u", "unix-byte-offsets"),
  V: flag("V"),
};
for (const digit of "0123456789") options[digit] = { short: digit };

const HELP = `Usage: grep [OPTION]... PATTERNS [FILE]...
Search for PATTERNS in each FILE.
Example: grep -i 'hello world' menu.h main.c
PATTERNS can contain multiple patterns separated by newlines.

  -E, --extended-regexp, -F, --fixed-strings, -G, --basic-regexp, -P, --perl-regexp
  -e, --regexp=PATTERNS, -f, --file=FILE, -i, --ignore-case, -w, --word-regexp
  -x, --line-regexp, -z, --null-data, -s, --no-messages, -v, --invert-match
  -m, --max-count=NUM, -b, --byte-offset, -n, --line-number, -H, --with-filename
  -h, --no-filename, --label=LABEL, -o, --only-matching, -q, --quiet, -a, --text, -I
  -d, --directories=ACTION, -r, --recursive, -R, --include=GLOB, --exclude=GLOB
  --exclude-dir=GLOB, -L, --files-without-match, -l, --files-with-matches, -c, --count
  -T, --initial-tab, -Z, --null, -A, -B, -C NUM, -NUM, --group-separator=SEP, --color[=WHEN]
`;

export function readGrepRequest(
  name: string,
  args: readonly string[],
):
  | { readonly ok: true; readonly request: GrepRequest }
  | { readonly ok: false; readonly result: ExecResult } {
  const program: GnuProgram<string> = {
    name: "grep",
    options,
    help: HELP,
    compatibleWith: "GNU grep 3.8",
    usageStatus: 2,
  };
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed;
  const fail = (why: string) => ({
    ok: false as const,
    result: { stdout: "", stderr: `grep: ${why}\n`, exitCode: 2 },
  });
  let kind: GrepPatternKind = name === "egrep" ? "extended" : name === "fgrep" ? "fixed" : "basic";
  const patterns: { text?: string; file?: string }[] = [];
  const flags = new Set<string>();
  let before: number | undefined;
  let after: number | undefined;
  let context: number | undefined;
  let digits = "";
  let maxCount = Number.POSITIVE_INFINITY;
  let label = "(standard input)";
  let separator: string | null = "--";
  let isColored = false;
  let binaryFiles = "binary";
  let directories = "read";
  let showsNames: boolean | undefined;
  const include: RegExp[] = [];
  const exclude: RegExp[] = [];
  const excludeDirectories: RegExp[] = [];
  for (const { key, value = "" } of parsed.args.given) {
    if (/^\d$/.test(key)) digits += key;
    else if (key === "E") kind = "extended";
    else if (key === "F") kind = "fixed";
    else if (key === "G") kind = "basic";
    else if (key === "P") kind = "perl";
    else if (key === "e") patterns.push({ text: value });
    else if (key === "f") patterns.push({ file: value });
    else if (key === "y") flags.add("i");
    else if (key === "noIgnoreCase") flags.delete("i");
    else if (key === "silent") flags.add("q");
    else if (key === "h" || key === "H") showsNames = key === "H";
    else if (key === "m") {
      if (!/^-?\d+$/.test(value)) return fail("invalid max count");
      maxCount = Number(value) < 0 ? Number.POSITIVE_INFINITY : Number(value);
    } else if (key === "A" || key === "B" || key === "C") {
      if (!/^\d+$/.test(value)) return fail(`${value}: invalid context length argument`);
      if (key === "A") after = Number(value);
      else if (key === "B") before = Number(value);
      else context = Number(value);
    } else if (key === "label") label = value;
    else if (key === "groupSeparator") separator = value;
    else if (key === "noGroupSeparator") separator = null;
    else if (key === "color" || key === "colour") {
      if (!/^(always|yes|force|never|no|none|auto|tty|if-tty|)$/.test(value))
        return fail(`invalid argument '${value}' for '--color'`);
      isColored = /^(always|yes|force)$/.test(value);
    } else if (key === "binaryFiles") {
      if (!/^(binary|text|without-match)$/.test(value)) return fail("unknown binary-files type");
      binaryFiles = value;
    } else if (key === "a") binaryFiles = "text";
    else if (key === "I") binaryFiles = "without-match";
    else if (key === "d") {
      if (!/^(read|recurse|skip)$/.test(value))
        return fail(`invalid argument '${value}' for '--directories'`);
      directories = value;
    } else if (key === "r" || key === "R") {
      directories = "recurse";
      flags.add(key);
    } else if (key === "include") include.push(patternOf(value));
    else if (key === "exclude") exclude.push(patternOf(value));
    else if (key === "excludeDir") excludeDirectories.push(patternOf(value.replace(/(.)\/+$/, "$1")));
    else if (key === "V")
      return { ok: false, result: { stdout: "grep (GNU grep) 3.8\n", stderr: "", exitCode: 0 } };
    else flags.add(key);
  }
  if (digits !== "") context = Number(digits);
  const operands = [...parsed.args.operands];
  if (patterns.length === 0) {
    const pattern = operands.shift();
    if (pattern === undefined) {
      const stderr = "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n";
      return { ok: false, result: { stdout: "", stderr, exitCode: 2 } };
    }
    patterns.push({ text: pattern });
  }
  return {
    ok: true,
    request: {
      kind,
      patterns,
      operands,
      flags,
      before: before ?? context ?? 0,
      after: after ?? context ?? 0,
      maxCount,
      label,
      separator,
      isColored,
      binaryFiles,
      directories,
      include,
      exclude,
      excludeDirectories,
      showsNames,
    },
  };
}
