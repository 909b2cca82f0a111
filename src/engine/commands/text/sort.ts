/** `sort` as coreutils has it, but for its keys. Longer than most files by its help and its table of options. */
import { Buffer } from "node:buffer";
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { type GnuArguments, type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { reasonOf } from "../reason.ts";
import { compareBytes, joinLines, linesOf } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";
import {
  addLetter,
  type Comparable,
  comparable,
  compareKeys,
  keyOf,
  type Ordering,
  plainOrdering,
  readKey,
  type SortKey,
} from "./sort-keys.ts";

const LETTERS = {
  ignoreBlanks: { short: "b", long: "ignore-leading-blanks" },
  dictionary: { short: "d", long: "dictionary-order" },
  fold: { short: "f", long: "ignore-case" },
  general: { short: "g", long: "general-numeric-sort" },
  printable: { short: "i", long: "ignore-nonprinting" },
  month: { short: "M", long: "month-sort" },
  human: { short: "h", long: "human-numeric-sort" },
  numeric: { short: "n", long: "numeric-sort" },
  random: { short: "R", long: "random-sort" },
  reverse: { short: "r", long: "reverse" },
  version: { short: "V", long: "version-sort" },
} as const;

const WORDS: Readonly<Record<string, string>> = {
  "general-numeric": "g",
  "human-numeric": "h",
  month: "M",
  numeric: "n",
  random: "R",
  version: "V",
};

type Key =
  | keyof typeof LETTERS
  | "batch"
  | "check"
  | "checkQuietly"
  | "compress"
  | "debug"
  | "filesFrom"
  | "key"
  | "merge"
  | "output"
  | "parallel"
  | "randomSource"
  | "size"
  | "sortBy"
  | "stable"
  | "separator"
  | "temporary"
  | "unique"
  | "zero";

const program: GnuProgram<Key> = {
  name: "sort",
  options: {
    ...LETTERS,
    batch: { long: "batch-size", value: "required" },
    check: { short: "c", long: "check", value: "optional" },
    checkQuietly: { short: "C" },
    compress: { long: "compress-program", value: "required" },
    debug: { long: "debug" },
    filesFrom: { long: "files0-from", value: "required" },
    key: { short: "k", long: "key", value: "required" },
    merge: { short: "m", long: "merge" },
    output: { short: "o", long: "output", value: "required" },
    parallel: { long: "parallel", value: "required" },
    randomSource: { long: "random-source", value: "required" },
    size: { short: "S", long: "buffer-size", value: "required" },
    sortBy: { long: "sort", value: "required" },
    stable: { short: "s", long: "stable" },
    separator: { short: "t", long: "field-separator", value: "required" },
    temporary: { short: "T", long: "temporary-directory", value: "required" },
    unique: { short: "u", long: "unique" },
    zero: { short: "z", long: "zero-terminated" },
  },
  compatibleWith: "GNU coreutils 9.1",
  usageStatus: 2,
  help: `Usage: sort [OPTION]... [FILE]...
  or:  sort [OPTION]... --files0-from=F
Write sorted concatenation of all FILE(s) to standard output.

With no FILE, or when FILE is -, read standard input.

Ordering options:

  -b, --ignore-leading-blanks  ignore leading blanks
  -d, --dictionary-order      consider only blanks and alphanumeric characters
  -f, --ignore-case           fold lower case to upper case characters
  -g, --general-numeric-sort  compare according to general numerical value
  -i, --ignore-nonprinting    consider only printable characters
  -M, --month-sort            compare (unknown) < 'JAN' < ... < 'DEC'
  -h, --human-numeric-sort    compare human readable numbers (e.g., 2K 1G)
  -n, --numeric-sort          compare according to string numerical value
  -R, --random-sort           shuffle, but group identical keys
  -r, --reverse               reverse the result of comparisons
      --sort=WORD             sort according to WORD:
                                general-numeric -g, human-numeric -h, month -M,
                                numeric -n, random -R, version -V
  -V, --version-sort          natural sort of (version) numbers within text

Other options:

  -c, --check, --check=diagnose-first  check for sorted input; do not sort
  -C, --check=quiet, --check=silent  like -c, but do not report first bad line
      --files0-from=F       read input from the files specified by
                            NUL-terminated names in file F
  -k, --key=KEYDEF          sort via a key; KEYDEF gives location and type
  -m, --merge               merge already sorted files; do not sort
  -o, --output=FILE         write result to FILE instead of standard output
  -s, --stable              stabilize sort by disabling last-resort comparison
  -t, --field-separator=SEP  use SEP instead of non-blank to blank transition
  -u, --unique              with -c, check for strict ordering;
                              without -c, output only the first of an equal run
  -z, --zero-terminated     line delimiter is NUL, not newline
      --help        display this help and exit
      --version     output version information and exit

KEYDEF is F[.C][OPTS][,F[.C][OPTS]] for start and stop position, where F is a
field number and C a character position in the field; both are origin 1, and
the stop position defaults to the line's end.
`,
};

/** `sort` as coreutils has it in a locale whose order is that of the bytes. */
export const sort: Command = defineCommand("sort", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { has, value, operands } = parsed.args;
  const order = readOrder(parsed.args);
  if (typeof order === "string") return failed(order);

  const checks = has("check") || has("checkQuietly");
  if (checks && operands.length > 1)
    return usageError(program, `extra operand '${operands[1]}' not allowed with -c`);
  const names = await namesOf(parsed.args, ctx);
  if (typeof names === "string") return failed(names);
  const read = await readOperands("sort: cannot read", names, ctx);
  if (read.stderr !== "") return { stdout: "", stderr: read.stderr, exitCode: 2 };
  const end = has("zero") ? "\0" : "\n";
  const files = read.files.map(({ bytes }) => linesOf(bytes, end));
  const compare = order.comparer();

  if (checks) {
    const isQuiet = has("checkQuietly") || /^(quiet|silent)$/.test(value("check") ?? "");
    return check(files.flat(), read.files[0]?.name ?? "-", order, isQuiet);
  }
  const decoratedFiles = files.map((lines) => lines.map((line) => order.decorate(line)));
  const decorated = has("merge") ? merge(decoratedFiles, compare) : decoratedFiles.flat().sort(compare);
  const sorted = order.isUnique
    ? decorated.filter((one, at) => {
        const before = decorated[at - 1];
        return before === undefined || compare(before, one) !== 0;
      })
    : decorated;
  const output = joinLines(
    sorted.map(({ line }) => line),
    end,
  );
  const target = value("output");
  if (target === undefined) return { stdout: output, stderr: "", exitCode: 0, stdoutKind: "bytes" };
  try {
    await ctx.fs.writeFile(ctx.fs.resolvePath(ctx.cwd, target), Buffer.from(output, "latin1"));
  } catch (error) {
    return failed(`open failed: ${target}: ${reasonOf(error)}`);
  }
  return { stdout: "", stderr: "", exitCode: 0 };
});

function failed(why: string): ExecResult {
  return { stdout: "", stderr: `sort: ${why}\n`, exitCode: 2 };
}

interface Decorated {
  readonly line: string;
  readonly keys: readonly Comparable[];
}

/** Everything about the order of lines. */
interface Order {
  readonly isUnique: boolean;
  decorate(line: string): Decorated;
  comparer(): (a: Decorated, b: Decorated) => number;
}

function readOrder({ given, has, value }: GnuArguments<Key>): Order | string {
  const ordering = plainOrdering();
  const keys: SortKey[] = [];
  for (const one of given) {
    if (one.key in LETTERS) addLetter(ordering, LETTERS[one.key as keyof typeof LETTERS].short, "both");
    else if (one.key === "sortBy") {
      const word = Object.keys(WORDS).find((name) => name.startsWith(one.value ?? " "));
      if (word === undefined) return `invalid argument '${one.value}' for '--sort'`;
      addLetter(ordering, WORDS[word] ?? "", "both");
    } else if (one.key === "key") {
      const key = readKey(one.value ?? "");
      if (typeof key === "string") return key;
      keys.push(key);
    }
  }
  const asked = value("separator");
  const separator = asked === "\\0" ? "\0" : (asked ?? null);
  if (separator === "") return "empty tab";
  if (separator !== null && separator.length > 1) return `multi-character tab '${separator}'`;
  const byteSeparator = separator === null ? null : Buffer.from(separator).toString("latin1");
  if (byteSeparator !== null && byteSeparator.length > 1) return `multi-character tab '${separator}'`;

  const salt = `${Math.random()}`;
  const orderings: Ordering[] =
    keys.length === 0 ? [ordering] : keys.map((key) => (key.hasOrdering ? key.ordering : ordering));
  const located = keys.map((key, at) => ({ ...key, ordering: orderings[at] ?? ordering }));
  const isUnique = has("unique");
  const isPlain =
    keys.length === 0 &&
    ordering.kind === "text" &&
    !ordering.dictionary &&
    !ordering.fold &&
    !ordering.printable &&
    !ordering.ignoreBlanks;
  return {
    isUnique,
    decorate(line) {
      if (isPlain) return { line, keys: [] };
      if (keys.length > 0)
        return {
          line,
          keys: located.map((key) => comparable(keyOf(line, key, byteSeparator), key.ordering, salt)),
        };
      const text = ordering.ignoreBlanks ? line.replace(/^[ \t]+/, "") : line;
      return { line, keys: [comparable(text, ordering, salt)] };
    },
    comparer() {
      const lastResort = isPlain || (!isUnique && !has("stable"));
      return (a, b) => {
        for (let at = 0; at < a.keys.length; at++) {
          const keyOrdering = orderings[at] ?? ordering;
          const difference = compareKeys(a.keys[at] ?? "", b.keys[at] ?? "", keyOrdering);
          if (difference !== 0) return keyOrdering.reverse ? -difference : difference;
        }
        if (!lastResort) return 0;
        const difference = compareBytes(a.line, b.line);
        return ordering.reverse ? -difference : difference;
      };
    },
  };
}

/** Takes the least of the first lines left, again and again; of equal ones that of the earlier file. */
function merge(files: readonly Decorated[][], compare: (a: Decorated, b: Decorated) => number): Decorated[] {
  const places = files.map(() => 0);
  const merged: Decorated[] = [];
  for (;;) {
    let least: Decorated | undefined;
    let from = 0;
    files.forEach((lines, at) => {
      const head = lines[places[at] ?? 0];
      if (head === undefined || (least !== undefined && compare(least, head) <= 0)) return;
      least = head;
      from = at;
    });
    if (least === undefined) return merged;
    merged.push(least);
    places[from] = (places[from] ?? 0) + 1;
  }
}

function check(lines: readonly string[], name: string, order: Order, isQuiet: boolean): ExecResult {
  const compare = order.comparer();
  for (let at = 1; at < lines.length; at++) {
    const difference = compare(order.decorate(lines[at - 1] ?? ""), order.decorate(lines[at] ?? ""));
    if (difference < 0 || (difference === 0 && !order.isUnique)) continue;
    const text = Buffer.from(lines[at] ?? "", "latin1").toString();
    const stderr = isQuiet ? "" : `sort: ${name}:${at + 1}: disorder: ${text}\n`;
    return { stdout: "", stderr, exitCode: 1 };
  }
  return { stdout: "", stderr: "", exitCode: 0 };
}

async function namesOf(
  { value, operands }: GnuArguments<Key>,
  ctx: CommandContext,
): Promise<readonly string[] | string> {
  const list = value("filesFrom");
  if (list === undefined) return operands;
  if (operands.length > 0)
    return `extra operand '${operands[0]}'\nfile operands cannot be combined with --files0-from`;
  const { files, stderr } = await readOperands("sort: cannot read", [list], ctx);
  const [file] = files;
  if (file === undefined) return stderr.replace(/^sort: |\n$/g, "");
  const names = linesOf(Buffer.from(file.bytes, "latin1").toString(), "\0");
  return names.length === 0 ? `no input from '${list}'` : names;
}
