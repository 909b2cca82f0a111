import { type Command, type CommandContext, decodeBytesToUtf8, defineCommand } from "just-bash";
import { parseGnuOptions, usageError } from "../gnu-options.ts";
import { codeOf } from "../reason.ts";
import { Answers, joinShown, type Look, look, pathOf } from "./look.ts";
import { quoteName } from "./quote-name.ts";
import { Report } from "./report.ts";

const PROGRAM = {
  name: "rm",
  help: `Usage: rm [OPTION]... [FILE]...
Remove (unlink) the FILE(s).

  -f, --force           ignore nonexistent files and arguments, never prompt
  -i                    prompt before every removal
  -I                    prompt once before removing more than three files, or
                          when removing recursively
      --interactive[=WHEN]  prompt according to WHEN: never, once, always
      --one-file-system
      --no-preserve-root  do not treat '/' specially
      --preserve-root[=all]  do not remove '/' (default)
  -r, -R, --recursive   remove directories and their contents recursively
  -d, --dir             remove empty directories
  -v, --verbose         explain what is being done
`,
  compatibleWith: "GNU coreutils 9.1",
  options: {
    force: { short: "f", long: "force" },
    ask: { short: "i" },
    askOnce: { short: "I" },
    interactive: { long: "interactive", value: "optional" },
    oneFileSystem: { long: "one-file-system" },
    noPreserveRoot: { long: "no-preserve-root" },
    preserveRoot: { long: "preserve-root", value: "optional" },
    recursive: { short: "r", long: "recursive" },
    recursiveToo: { short: "R" },
    dir: { short: "d", long: "dir" },
    verbose: { short: "v", long: "verbose" },
  },
} as const;

interface Request {
  readonly forced: boolean;
  readonly asks: boolean;
  readonly recursive: boolean;
  readonly emptyDirectories: boolean;
  readonly verbose: boolean;
  readonly keepRoot: boolean;
  readonly answers: Answers;
}

/**
 * `rm` as coreutils has it. The engine's own follows links, so that a link to nowhere or to a directory cannot be
 * removed, and takes `-f` as leave to fail in silence: a script that clears a read-only directory goes on as if it had.
 */
export const rm: Command = defineCommand("rm", async (args, ctx) => {
  const parsed = parseGnuOptions(PROGRAM, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has, given } = parsed.args;
  const report = new Report("rm");
  let asks: "never" | "once" | "always" = "never";
  let forced = false;
  for (const { key, value } of given) {
    if (key === "force") [asks, forced] = ["never", true];
    if (key === "ask") [asks, forced] = ["always", false];
    if (key === "askOnce") [asks, forced] = ["once", false];
    if (key === "interactive") {
      asks =
        value === undefined || /^(always|yes)$/.test(value) ? "always" : value === "once" ? "once" : "never";
    }
  }
  if (operands.length === 0) return forced ? report.result() : usageError(PROGRAM, "missing operand");
  const recursive = has("recursive") || has("recursiveToo");
  const answers = new Answers(decodeBytesToUtf8(ctx.stdin));
  if (asks === "once" && (recursive || operands.length > 3)) {
    const count = `${operands.length} argument${operands.length === 1 ? "" : "s"}`;
    report.stderr += `rm: remove ${count}${recursive ? " recursively" : ""}? `;
    if (!answers.isYes()) return report.result();
  }
  const request: Request = {
    forced,
    asks: asks === "always",
    recursive,
    emptyDirectories: has("dir"),
    verbose: has("verbose"),
    keepRoot: !has("noPreserveRoot"),
    answers,
  };
  for (const operand of operands) await removeOperand(ctx, operand, request, report);
  return report.result();
});

async function removeOperand(
  ctx: CommandContext,
  shown: string,
  request: Request,
  report: Report,
): Promise<void> {
  const path = pathOf(ctx.fs, ctx.cwd, shown);
  const { forced, recursive, emptyDirectories } = request;
  let entry: Look;
  try {
    entry = await look(ctx.fs, path, false);
  } catch (error) {
    const isMissing = ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "");
    if (!forced || !isMissing) report.failed(`cannot remove ${quoteName(shown)}`, error);
    return;
  }
  if (entry.isDirectory) {
    if (!recursive && !emptyDirectories) {
      report.fail(`cannot remove ${quoteName(shown)}: Is a directory`);
      return;
    }
    if (/(^|\/)\.\.?\/*$/.test(shown)) {
      report.fail(`refusing to remove '.' or '..' directory: skipping ${quoteName(shown)}`);
      return;
    }
    if (path === "/" && recursive && request.keepRoot) {
      report.fail("it is dangerous to operate recursively on '/'");
      report.fail("use --no-preserve-root to override this failsafe");
      return;
    }
  }
  await remove(ctx, shown, path, entry, request, report);
}

/** Whether it is gone. */
async function remove(
  ctx: CommandContext,
  shown: string,
  path: string,
  entry: Look,
  request: Request,
  report: Report,
): Promise<boolean> {
  const { fs } = ctx;
  const { recursive, verbose, asks, answers } = request;
  const name = quoteName(shown);
  try {
    if (!entry.isDirectory) {
      const kind = entry.isSymbolicLink
        ? "symbolic link"
        : entry.size === 0
          ? "regular empty file"
          : "regular file";
      if (asks) {
        report.stderr += `rm: remove ${kind} ${name}? `;
        if (!answers.isYes()) return false;
      }
      await fs.rm(path);
      if (verbose) report.print(`removed ${name}\n`);
      return true;
    }
    // Without questions or lines to print, one call removes the tree.
    if (recursive && (verbose || asks)) {
      const names = await fs.readdir(path);
      if (asks && names.length > 0) {
        report.stderr += `rm: descend into directory ${name}? `;
        if (!answers.isYes()) return false;
      }
      let isEmpty = true;
      for (const child of names) {
        const at = fs.resolvePath(path, child);
        const gone = await remove(
          ctx,
          joinShown(shown, child),
          at,
          await look(fs, at, false),
          request,
          report,
        );
        isEmpty &&= gone;
      }
      if (!isEmpty) return false;
    }
    if (asks) {
      report.stderr += `rm: remove directory ${name}? `;
      if (!answers.isYes()) return false;
    }
    await fs.rm(path, { recursive: recursive && !verbose && !asks });
    if (verbose) report.print(`removed directory ${name}\n`);
    return true;
  } catch (error) {
    report.failed(`cannot remove ${name}`, error);
    return false;
  }
}
