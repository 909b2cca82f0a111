/** Options of `tree`: one letter or a name; values come apart, those of names also behind `=`. */
import type { ExecResult } from "just-bash";
import { patternOf } from "./name-match.ts";

export interface TreeOptions {
  readonly operands: readonly string[];
  readonly maxDepth: number;
  readonly all: boolean;
  readonly onlyFolders: boolean;
  readonly followLinks: boolean;
  readonly fullPath: boolean;
  readonly indent: boolean;
  readonly ascii: boolean;
  readonly noReport: boolean;
  readonly prune: boolean;
  readonly matchFolders: boolean;
  readonly ignored: readonly RegExp[];
  readonly wanted: readonly RegExp[];
  readonly fileLimit: number;
  readonly sort: "name" | "version" | "mtime" | "size" | "none";
  readonly reverse: boolean;
  readonly first: "folders" | "files" | undefined;
  readonly sign: boolean;
  readonly quoteNames: boolean;
  readonly color: boolean;
  readonly permissions: boolean;
  readonly size: boolean;
  readonly human: boolean;
  readonly si: boolean;
  readonly owner: boolean;
  readonly group: boolean;
  readonly inode: boolean;
  readonly time: boolean;
  readonly timeFormat: string | undefined;
  readonly json: boolean;
  readonly output: string | undefined;
}

const USAGE = `usage: tree [-acdfghilnpqrstuvxACDFJQNSU] [-L level] [-o filename] [-P pattern]
	[-I pattern] [--matchdirs] [--ignore-case] [--inodes] [--sort[=]<name>]
	[--dirsfirst] [--filesfirst] [--filelimit #] [--si] [--prune]
	[--charset[=]X] [--timefmt[=]format] [--noreport] [--version] [--help]
	[--] [directory ...]
`;
const LETTERS = "acdfghilnpqrstuvxACDFJQNSUR";
const WITH_VALUE = "LPIo";
const NAMES =
  "noreport dirsfirst filesfirst inodes si prune matchdirs ignore-case du gitignore nolinks fflinks metafirst device".split(
    " ",
  );
const NAMES_WITH_VALUE = ["charset", "sort", "filelimit", "timefmt"];

/** The options, or the result that ends the call. */
export function readTreeArguments(args: readonly string[]): TreeOptions | ExecResult {
  const given = new Set<string>();
  const values = new Map<string, string[]>();
  const operands: string[] = [];
  const fail = (why: string): ExecResult => ({ stdout: "", stderr: `tree: ${why}\n`, exitCode: 1 });
  const put = (name: string, value: string): void => {
    values.set(name, [...(values.get(name) ?? []), value]);
  };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (arg === "--help") return { stdout: USAGE, stderr: "", exitCode: 0 };
    if (arg === "--version")
      return { stdout: "tree (compatible with tree v2.1.0)\n", stderr: "", exitCode: 0 };
    if (arg.startsWith("--")) {
      const [, name = "", attached] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
      if (NAMES.includes(name)) given.add(name);
      else if (NAMES_WITH_VALUE.includes(name)) {
        const value = attached ?? args[++at];
        if (value === undefined) return fail(`Missing argument to --${name}`);
        put(name, value);
      } else return { stdout: "", stderr: `tree: Invalid argument \`${arg}'.\n${USAGE}`, exitCode: 1 };
    } else if (arg.startsWith("-") && arg !== "-") {
      for (let letterAt = 1; letterAt < arg.length; letterAt++) {
        const letter = arg[letterAt] ?? "";
        if (WITH_VALUE.includes(letter)) {
          const attached = letter === "L" ? /^\d+/.exec(arg.slice(letterAt + 1))?.[0] : undefined;
          const value = attached ?? args[++at];
          if (value === undefined) return fail(`Missing argument to -${letter} option.`);
          put(letter, value);
          letterAt += attached?.length ?? 0;
        } else if (LETTERS.includes(letter)) given.add(letter);
        else return { stdout: "", stderr: `tree: Invalid argument -\`${letter}'.\n${USAGE}`, exitCode: 1 };
      }
    } else operands.push(arg);
  }
  const last = (name: string): string | undefined => values.get(name)?.at(-1);
  const level = last("L");
  if (level !== undefined && !(Number(level) > 0)) return fail("Invalid level, must be greater than 0.");
  const ignoreCase = given.has("ignore-case");
  const patterns = (name: string): RegExp[] =>
    (values.get(name) ?? []).flatMap((one) => one.split("|")).map((one) => patternOf(one, ignoreCase));
  const sort = last("sort");
  return {
    operands: operands.length === 0 ? ["."] : operands,
    maxDepth: level === undefined ? Number.POSITIVE_INFINITY : Number(level),
    all: given.has("a"),
    onlyFolders: given.has("d"),
    followLinks: given.has("l"),
    fullPath: given.has("f"),
    indent: !given.has("i"),
    ascii: last("charset") !== undefined && !/utf-?8/i.test(last("charset") ?? ""),
    noReport: given.has("noreport"),
    prune: given.has("prune"),
    matchFolders: given.has("matchdirs"),
    ignored: patterns("I"),
    wanted: patterns("P"),
    fileLimit: Number(last("filelimit") ?? 0),
    sort: given.has("U")
      ? "none"
      : given.has("t") || given.has("c") || sort === "mtime" || sort === "ctime"
        ? "mtime"
        : given.has("v") || sort === "version"
          ? "version"
          : sort === "size"
            ? "size"
            : "name",
    reverse: given.has("r"),
    first: given.has("dirsfirst") ? "folders" : given.has("filesfirst") ? "files" : undefined,
    sign: given.has("F"),
    quoteNames: given.has("Q"),
    color: given.has("C") && !given.has("n"),
    permissions: given.has("p"),
    size: given.has("s"),
    human: given.has("h"),
    si: given.has("si"),
    owner: given.has("u"),
    group: given.has("g"),
    inode: given.has("inodes"),
    time: given.has("D") || last("timefmt") !== undefined,
    timeFormat: last("timefmt"),
    json: given.has("J"),
    output: last("o"),
  };
}
