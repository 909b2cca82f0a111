import { type Command, type CommandContext, decodeBytesToUtf8, defineCommand } from "just-bash";
import { parseGnuOptions, usageError } from "../gnu-options.ts";
import { type Backup, backupOf, putAside } from "./destinations.ts";
import { Answers, baseName, joinShown, lookIfThere, pathOf } from "./look.ts";
import { quoteName, quoteValue } from "./quote-name.ts";
import { Report } from "./report.ts";

const PROGRAM = {
  name: "ln",
  help: `Usage: ln [OPTION]... [-T] TARGET LINK_NAME
  or:  ln [OPTION]... TARGET
  or:  ln [OPTION]... TARGET... DIRECTORY
  or:  ln [OPTION]... -t DIRECTORY TARGET...
Create hard links by default, symbolic links with --symbolic.

      --backup[=CONTROL]      make a backup of each existing destination file
  -b                          like --backup but does not accept an argument
  -f, --force                 remove existing destination files
  -i, --interactive           prompt whether to remove destinations
  -L, --logical               dereference TARGETs that are symbolic links
  -n, --no-dereference        treat LINK_NAME as a normal file if
                                it is a symbolic link to a directory
  -P, --physical              make hard links directly to symbolic links
  -r, --relative              with -s, create links relative to link location
  -s, --symbolic              make symbolic links instead of hard links
  -S, --suffix=SUFFIX         override the usual backup suffix
  -t, --target-directory=DIRECTORY  create the links in DIRECTORY
  -T, --no-target-directory   treat LINK_NAME as a normal file always
  -v, --verbose               print name of each linked file
`,
  compatibleWith: "GNU coreutils 9.1",
  options: {
    backup: { long: "backup", value: "optional" },
    simpleBackup: { short: "b" },
    directory: { short: "d", long: "directory" },
    force: { short: "f", long: "force" },
    interactive: { short: "i", long: "interactive" },
    logical: { short: "L", long: "logical" },
    noFollow: { short: "n", long: "no-dereference" },
    oldNoFollow: { short: "h" },
    physical: { short: "P", long: "physical" },
    relative: { short: "r", long: "relative" },
    symbolic: { short: "s", long: "symbolic" },
    suffix: { short: "S", long: "suffix", value: "required" },
    targetDirectory: { short: "t", long: "target-directory", value: "required" },
    noTargetDirectory: { short: "T", long: "no-target-directory" },
    verbose: { short: "v", long: "verbose" },
  },
} as const;

interface Request {
  readonly symbolic: boolean;
  readonly relative: boolean;
  readonly logical: boolean;
  readonly onExisting: "fail" | "replace" | "ask";
  readonly verbose: boolean;
  readonly backup: Backup;
  readonly answers: Answers;
}

/**
 * `ln` as coreutils has it. The engine's own takes a link that leads nowhere for free space, knows no directory as
 * the last operand, and does not say what failed.
 */
export const ln: Command = defineCommand("ln", async (args, ctx) => {
  const parsed = parseGnuOptions(PROGRAM, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has, value, given } = parsed.args;
  const report = new Report("ln");
  const backup = backupOf(parsed.args as Parameters<typeof backupOf>[0], ctx.env);
  if (typeof backup === "string") {
    report.fail(`invalid argument ${quoteValue(backup)} for ${quoteValue("backup type")}`);
    return report.result();
  }
  const [first] = operands;
  if (first === undefined) return usageError(PROGRAM, "missing file operand");
  const last = given.findLast(({ key }) => key === "force" || key === "interactive")?.key;
  const request: Request = {
    symbolic: has("symbolic"),
    relative: has("relative"),
    logical: has("logical"),
    onExisting: last === "force" ? "replace" : last === "interactive" ? "ask" : "fail",
    verbose: has("verbose"),
    backup,
    answers: new Answers(decodeBytesToUtf8(ctx.stdin)),
  };
  const noFollow = has("noFollow") || has("oldNoFollow");
  const isFolder = async (name: string): Promise<boolean> =>
    (await lookIfThere(ctx.fs, pathOf(ctx.fs, ctx.cwd, name), !noFollow))?.isDirectory === true;
  let directory = value("targetDirectory");
  let targets: readonly string[] = operands;
  if (directory !== undefined) {
    if (!(await isFolder(directory))) {
      const isThere = (await lookIfThere(ctx.fs, pathOf(ctx.fs, ctx.cwd, directory), true)) !== null;
      report.fail(
        `target directory ${quoteName(directory)}: ${isThere ? "Not a directory" : "No such file or directory"}`,
      );
      return report.result();
    }
  } else if (has("noTargetDirectory")) {
    const [, , extra] = operands;
    if (operands.length < 2)
      return usageError(PROGRAM, `missing destination file operand after ${quoteName(first)}`);
    if (extra !== undefined) return usageError(PROGRAM, `extra operand ${quoteName(extra)}`);
    await link(ctx, first, operands[1] ?? "", request, report);
    return report.result();
  } else if (operands.length === 1) directory = ".";
  else {
    const name = operands.at(-1) ?? "";
    if (await isFolder(name)) {
      directory = name;
      targets = operands.slice(0, -1);
    } else if (operands.length > 2) {
      const isThere = (await lookIfThere(ctx.fs, pathOf(ctx.fs, ctx.cwd, name), true)) !== null;
      report.fail(`target ${quoteName(name)}: ${isThere ? "Not a directory" : "No such file or directory"}`);
      return report.result();
    } else {
      await link(ctx, first, name, request, report);
      return report.result();
    }
  }
  for (const target of targets)
    await link(ctx, target, joinShown(directory, baseName(target)), request, report);
  return report.result();
});

async function link(
  ctx: CommandContext,
  target: string,
  name: string,
  request: Request,
  report: Report,
): Promise<void> {
  const { fs, cwd } = ctx;
  const path = fs.resolvePath(cwd, name);
  const source = fs.resolvePath(cwd, target);
  const { symbolic, backup } = request;
  let text = target;
  if (!symbolic) {
    const entry = await lookIfThere(fs, pathOf(fs, cwd, target), request.logical);
    if (entry === null) {
      report.fail(`failed to access ${quoteName(target)}: No such file or directory`);
      return;
    }
    if (entry.isDirectory) {
      report.fail(`${target}: hard link not allowed for directory`);
      return;
    }
  } else if (request.relative) text = await relativeTarget(ctx, source, path);
  const there = await lookIfThere(fs, path, false);
  let kept: string | undefined;
  try {
    if (there !== null && (request.onExisting !== "fail" || backup.kind !== "none")) {
      if (there.isDirectory) {
        report.fail(`${name}: cannot overwrite directory`);
        return;
      }
      if (path === source && !symbolic) {
        report.fail(`${quoteName(target)} and ${quoteName(name)} are the same file`);
        return;
      }
      if (request.onExisting === "ask") {
        report.stderr += `ln: replace ${quoteName(name)}? `;
        if (!request.answers.isYes()) return;
      }
      if (backup.kind !== "none") kept = await putAside(ctx, name, backup);
      else await fs.rm(path);
    }
  } catch (error) {
    report.failed(`cannot remove ${quoteName(name)}`, error);
    return;
  }
  try {
    if (symbolic) await fs.symlink(text, path);
    else await fs.link(request.logical ? await fs.realpath(source) : source, path);
    const note = kept === undefined ? "" : ` (backup: ${quoteName(kept)})`;
    if (request.verbose)
      report.print(`${quoteName(name)} ${symbolic ? "->" : "=>"} ${quoteName(text)}${note}\n`);
  } catch (error) {
    const what = symbolic
      ? `symbolic link ${quoteName(name)}`
      : `hard link ${quoteName(name)} => ${quoteName(target)}`;
    report.failed(`failed to create ${what}`, error);
  }
}

/** The way from the directory of a link to its target, through no link. */
async function relativeTarget({ fs }: CommandContext, source: string, path: string): Promise<string> {
  const real = async (of: string): Promise<string> => {
    const found = await fs.realpath(of).catch(() => null);
    if (found !== null || of === "/") return found ?? of;
    return joinShown(await real(fs.resolvePath(of, "..")), baseName(of));
  };
  const to = (await real(source)).split("/").filter((part) => part !== "");
  const from = (await real(fs.resolvePath(path, ".."))).split("/").filter((part) => part !== "");
  let same = 0;
  while (same < from.length && same < to.length && from[same] === to[same]) same++;
  const parts = [...from.slice(same).map(() => ".."), ...to.slice(same)];
  return parts.length === 0 ? "." : parts.join("/");
}
