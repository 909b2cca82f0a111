/** Operands and options that `cp` and `mv` share: where each source goes, backups, questions. */
import type { CommandContext, ExecResult } from "just-bash";
import { type GnuArguments, usageError } from "../gnu-options.ts";
import { baseName, joinShown, lookIfThere, pathOf } from "./look.ts";
import { quoteName } from "./quote-name.ts";
import type { Report } from "./report.ts";

/** One source and the name it gets. */
export interface Pair {
  readonly source: string;
  readonly destination: string;
}

export const DESTINATION_OPTIONS = {
  backup: { long: "backup", value: "optional" },
  simpleBackup: { short: "b" },
  force: { short: "f", long: "force" },
  interactive: { short: "i", long: "interactive" },
  noClobber: { short: "n", long: "no-clobber" },
  stripSlashes: { long: "strip-trailing-slashes" },
  suffix: { short: "S", long: "suffix", value: "required" },
  targetDirectory: { short: "t", long: "target-directory", value: "required" },
  noTargetDirectory: { short: "T", long: "no-target-directory" },
  update: { short: "u", long: "update" },
  verbose: { short: "v", long: "verbose" },
  context: { short: "Z", long: "context", value: "optional" },
} as const;

type Key = keyof typeof DESTINATION_OPTIONS;

/** The pairs, or the result of wrong usage. `parents` keeps the whole path of each source below the directory. */
export async function pairsOf(
  name: string,
  { operands, value, has }: Pick<GnuArguments<Key>, "operands" | "value" | "has">,
  { fs, cwd }: CommandContext,
  parents: boolean,
): Promise<readonly Pair[] | ExecResult> {
  const fail = (why: string): ExecResult => ({ stdout: "", stderr: `${name}: ${why}\n`, exitCode: 1 });
  const sources = operands.map((one) => (has("stripSlashes") ? one.replace(/(?<=.)\/+$/, "") : one));
  const into = (directory: string, list: readonly string[]): Pair[] =>
    list.map((source) => ({
      source,
      destination: joinShown(directory, parents ? source.replace(/^\/+/, "") : baseName(source)),
    }));
  const target = value("targetDirectory");
  if (target !== undefined) {
    if (sources.length === 0) return usageError({ name }, "missing file operand");
    const entry = await lookIfThere(fs, pathOf(fs, cwd, target), true);
    if (!entry?.isDirectory) {
      return fail(
        `target directory ${quoteName(target)}: ${entry === null ? "No such file or directory" : "Not a directory"}`,
      );
    }
    return into(target, sources);
  }
  const [first] = sources;
  if (first === undefined) return usageError({ name }, "missing file operand");
  const last = operands[operands.length - 1] ?? "";
  if (sources.length === 1) {
    return usageError({ name }, `missing destination file operand after ${quoteName(first)}`);
  }
  if (has("noTargetDirectory")) {
    const [, , extra] = sources;
    if (extra !== undefined) return usageError({ name }, `extra operand ${quoteName(extra)}`);
    return [{ source: first, destination: last }];
  }
  const entry = await lookIfThere(fs, pathOf(fs, cwd, last), true);
  if (entry?.isDirectory) return into(last, sources.slice(0, -1));
  if (sources.length > 2) {
    return fail(
      `target ${quoteName(last)}: ${entry === null ? "No such file or directory" : "Not a directory"}`,
    );
  }
  return parents
    ? fail(`with --parents, the destination must be a directory\nTry '${name} --help' for more information.`)
    : [{ source: first, destination: last }];
}

/** How an old file is kept; `none` replaces it. */
export type Backup = { readonly kind: "none" | "simple" | "numbered" | "existing"; readonly suffix: string };

/** The way asked for, or the value that names none. */
export function backupOf(
  { has, value }: Pick<GnuArguments<Key>, "has" | "value">,
  env: ReadonlyMap<string, string>,
): Backup | string {
  const suffix = value("suffix") ?? env.get("SIMPLE_BACKUP_SUFFIX") ?? "~";
  const isWanted = has("backup") || has("simpleBackup") || has("suffix");
  const control = value("backup") ?? env.get("VERSION_CONTROL") ?? "existing";
  if (!isWanted || /^(none|off)$/.test(control)) return { kind: "none", suffix };
  if (/^(t|numbered)$/.test(control)) return { kind: "numbered", suffix };
  if (/^(simple|never)$/.test(control)) return { kind: "simple", suffix };
  return /^(nil|existing)$/.test(control) ? { kind: "existing", suffix } : control;
}

/** Puts what is at a path aside; the name that it has then. */
export async function putAside(
  { fs, cwd }: CommandContext,
  shown: string,
  { kind, suffix }: Backup,
): Promise<string> {
  const path = fs.resolvePath(cwd, shown);
  const directory = fs.resolvePath(path, "..");
  const name = baseName(path);
  const numbers = (await fs.readdir(directory)).flatMap((entry) => {
    if (!entry.startsWith(`${name}.~`)) return [];
    const [, number] = /^\.~(\d+)~$/.exec(entry.slice(name.length)) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
  const isNumbered = kind === "numbered" || (kind === "existing" && numbers.length > 0);
  const ending = isNumbered ? `.~${Math.max(0, ...numbers) + 1}~` : suffix;
  await fs.mv(path, path + ending);
  return shown + ending;
}

/** What happens to a file that is in the way. The last of the options wins. */
export function onExisting({ given }: Pick<GnuArguments<string>, "given">): "replace" | "keep" | "ask" {
  const last = given.findLast(({ key }) => key === "force" || key === "interactive" || key === "noClobber");
  return last?.key === "noClobber" ? "keep" : last?.key === "interactive" ? "ask" : "replace";
}

/** Asks before a file is replaced; the question goes where errors go. */
export function asks(report: Report, name: string, shown: string): void {
  report.stderr += `${name}: overwrite ${quoteName(shown)}? `;
}
