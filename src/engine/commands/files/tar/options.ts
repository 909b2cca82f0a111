/** The command line of `tar`: the old form without a dash, and options between operands. */
import type { ExecResult } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../../gnu-options.ts";

const OPTIONS = {
  create: { short: "c", long: "create" },
  extract: { short: "x", long: "extract" },
  get: { long: "get" },
  list: { short: "t", long: "list" },
  append: { short: "r", long: "append" },
  update: { short: "u", long: "update" },
  compare: { short: "d", long: "compare" },
  diff: { long: "diff" },
  concatenate: { short: "A", long: "concatenate" },
  delete: { long: "delete" },
  file: { short: "f", long: "file", value: "required" },
  verbose: { short: "v", long: "verbose" },
  gzip: { short: "z", long: "gzip" },
  gunzip: { long: "gunzip" },
  bzip2: { short: "j", long: "bzip2" },
  xz: { short: "J", long: "xz" },
  zstd: { long: "zstd" },
  compress: { short: "Z", long: "compress" },
  lzma: { long: "lzma" },
  autoCompress: { short: "a", long: "auto-compress" },
  program: { short: "I", long: "use-compress-program", value: "required" },
  directory: { short: "C", long: "directory", value: "required" },
  toStdout: { short: "O", long: "to-stdout" },
  permissions: { short: "p", long: "preserve-permissions" },
  samePermissions: { long: "same-permissions" },
  noSamePermissions: { long: "no-same-permissions" },
  absoluteNames: { short: "P", long: "absolute-names" },
  keepOld: { short: "k", long: "keep-old-files" },
  skipOld: { long: "skip-old-files" },
  keepNewer: { long: "keep-newer-files" },
  overwrite: { long: "overwrite" },
  unlinkFirst: { short: "U", long: "unlink-first" },
  touch: { short: "m", long: "touch" },
  dereference: { short: "h", long: "dereference" },
  hardDereference: { long: "hard-dereference" },
  filesFrom: { short: "T", long: "files-from", value: "required" },
  nul: { long: "null" },
  noNul: { long: "no-null" },
  exclude: { long: "exclude", value: "required" },
  excludeFrom: { short: "X", long: "exclude-from", value: "required" },
  excludeVcs: { long: "exclude-vcs" },
  excludeBackups: { long: "exclude-backups" },
  stripComponents: { long: "strip-components", value: "required" },
  transform: { long: "transform", value: "required" },
  xform: { long: "xform", value: "required" },
  owner: { long: "owner", value: "required" },
  group: { long: "group", value: "required" },
  mode: { long: "mode", value: "required" },
  mtime: { long: "mtime", value: "required" },
  numericOwner: { long: "numeric-owner" },
  sameOwner: { long: "same-owner" },
  noSameOwner: { short: "o", long: "no-same-owner" },
  sort: { long: "sort", value: "required" },
  wildcards: { long: "wildcards" },
  noWildcards: { long: "no-wildcards" },
  anchored: { long: "anchored" },
  noAnchored: { long: "no-anchored" },
  noRecursion: { long: "no-recursion" },
  recursion: { long: "recursion" },
  removeFiles: { long: "remove-files" },
  totals: { long: "totals", value: "optional" },
  sparse: { short: "S", long: "sparse" },
  blocking: { short: "b", long: "blocking-factor", value: "required" },
  format: { short: "H", long: "format", value: "required" },
  posix: { long: "posix" },
  oneTopLevel: { long: "one-top-level", value: "optional" },
  oneFileSystem: { long: "one-file-system" },
  warning: { long: "warning", value: "required" },
  ignoreFailedRead: { long: "ignore-failed-read" },
  showTransformed: { long: "show-transformed-names" },
  fullTime: { long: "full-time" },
  utc: { long: "utc" },
  verify: { short: "W", long: "verify" },
  checkpoint: { long: "checkpoint", value: "optional" },
  checkLinks: { short: "l", long: "check-links" },
  atimePreserve: { long: "atime-preserve", value: "optional" },
  ignoreZeros: { short: "i", long: "ignore-zeros" },
  noIgnoreCommandError: { long: "no-ignore-command-error" },
  delayDirectoryRestore: { long: "delay-directory-restore" },
  noOverwriteDir: { long: "no-overwrite-dir" },
  recordSize: { long: "record-size", value: "required" },
  readFullRecords: { short: "B", long: "read-full-records" },
  forceLocal: { long: "force-local" },
} as const;

export type TarKey = keyof typeof OPTIONS;

const TAR: GnuProgram<TarKey> = {
  name: "tar",
  usageStatus: 2,
  stopAtOperand: true,
  compatibleWith: "GNU tar 1.34",
  options: OPTIONS,
  help: `Usage: tar [OPTION...] [FILE]...
GNU 'tar' saves many files together into a single archive, and restores them.

Examples:
  tar -cf archive.tar foo bar  # Create archive.tar from files foo and bar.
  tar -tvf archive.tar         # List all files in archive.tar verbosely.
  tar -xf archive.tar          # Extract all files from archive.tar.

 Main operation mode: -c -d -r -t -u -x --delete
 -a, -z                     compress with gzip by the name's end, always
 -C, --directory=DIR        change to directory DIR
     --exclude=PATTERN, -X FILE, --exclude-vcs  leave out
 -f, --file=ARCHIVE         use archive file; - is standard input or output
 -h, --dereference          follow symlinks
 -k, --keep-old-files, --skip-old-files, --keep-newer-files
 -m, --touch                don't extract file modified time
     --mode=CHANGES --mtime=DATE --owner=NAME --group=NAME  for added files
     --one-top-level[=DIR]  create a directory for what is extracted
 -O, --to-stdout            extract files to standard output
 -p, --preserve-permissions  -P, --absolute-names
     --remove-files         remove files after adding them to the archive
     --strip-components=NUMBER --transform=EXPRESSION  change names
 -T, --files-from=FILE      names from a file; --null for names that end with NUL
 -v, --verbose              verbosely list files processed
     --wildcards            patterns as names to extract
`,
};

/** A name to work on, and the directory that it belongs to. */
export interface TarOperand {
  readonly name: string;
  /** `-C` as given so far; each is relative to the one before. */
  readonly directories: readonly string[];
}

export interface TarArguments {
  readonly operands: readonly TarOperand[];
  readonly directories: readonly string[];
  has(key: TarKey): boolean;
  count(key: TarKey): number;
  value(key: TarKey): string | undefined;
  values(key: TarKey): readonly string[];
}

/** The arguments, or the result that ends the call. */
export function readTarArguments(args: readonly string[]): TarArguments | ExecResult {
  const words = newForm(args);
  if (typeof words === "string") {
    return {
      stdout: "",
      stderr: `tar: ${words}\nTry 'tar --help' or 'tar --usage' for more information.\n`,
      exitCode: 2,
    };
  }
  const given: { key: TarKey; value: string | undefined }[] = [];
  const operands: TarOperand[] = [];
  const directories: string[] = [];
  let rest: readonly string[] = words;
  while (rest.length > 0) {
    const isLast = rest[0] === "--";
    const parsed = parseGnuOptions(TAR, rest);
    if (!parsed.ok) {
      const stderr = parsed.result.stderr.replace("Try 'tar --help'", "Try 'tar --help' or 'tar --usage'");
      return { ...parsed.result, stderr };
    }
    for (const one of parsed.args.given) {
      given.push(one);
      if (one.key === "directory") directories.push(one.value ?? "");
    }
    const taken = isLast ? parsed.args.operands : parsed.args.operands.slice(0, 1);
    for (const name of taken) operands.push({ name, directories: [...directories] });
    rest = isLast ? [] : parsed.args.operands.slice(1);
  }
  return {
    operands,
    directories,
    has: (key) => given.some((one) => one.key === key),
    count: (key) => given.filter((one) => one.key === key).length,
    value: (key) => given.findLast((one) => one.key === key)?.value,
    values: (key) => given.flatMap((one) => (one.key === key ? [one.value ?? ""] : [])),
  };
}

/** `czf x.tgz dir` → `-c -z -f x.tgz dir`. */
function newForm([first, ...rest]: readonly string[]): readonly string[] | string {
  if (first === undefined || first.startsWith("-") || first === "")
    return first === undefined ? [] : [first, ...rest];
  const words: string[] = [];
  const values = [...rest];
  for (const letter of first) {
    words.push(`-${letter}`);
    const option = Object.values(OPTIONS).find((one) => "short" in one && one.short === letter);
    if (option === undefined || !("value" in option) || option.value !== "required") continue;
    const value = values.shift();
    if (value === undefined) return `Old option '${letter}' requires an argument.`;
    words.push(value);
  }
  return [...words, ...values];
}
