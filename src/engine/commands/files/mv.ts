import { type Command, type CommandContext, decodeBytesToUtf8, defineCommand } from "just-bash";
import { parseGnuOptions } from "../gnu-options.ts";
import {
  asks,
  type Backup,
  backupOf,
  DESTINATION_OPTIONS,
  onExisting,
  pairsOf,
  putAside,
} from "./destinations.ts";
import { Answers, isSameFile, type Look, look, lookIfThere, pathOf } from "./look.ts";
import { quoteName, quoteValue } from "./quote-name.ts";
import { Report } from "./report.ts";

const PROGRAM = {
  name: "mv",
  help: `Usage: mv [OPTION]... [-T] SOURCE DEST
  or:  mv [OPTION]... SOURCE... DIRECTORY
  or:  mv [OPTION]... -t DIRECTORY SOURCE...
Rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY.

      --backup[=CONTROL]       make a backup of each existing destination file
  -b                           like --backup but does not accept an argument
  -f, --force                  do not prompt before overwriting
  -i, --interactive            prompt before overwrite
  -n, --no-clobber             do not overwrite an existing file
      --strip-trailing-slashes  remove any trailing slashes from each SOURCE
  -S, --suffix=SUFFIX          override the usual backup suffix
  -t, --target-directory=DIRECTORY  move all SOURCE arguments into DIRECTORY
  -T, --no-target-directory    treat DEST as a normal file
  -u, --update                 move only when the SOURCE file is newer
  -v, --verbose                explain what is being done
`,
  compatibleWith: "GNU coreutils 9.1",
  options: DESTINATION_OPTIONS,
} as const;

interface Request {
  readonly onExisting: "replace" | "keep" | "ask";
  readonly update: boolean;
  readonly verbose: boolean;
  readonly backup: Backup;
  readonly answers: Answers;
}

/** `mv` as coreutils has it. The engine's own lacks most options, and puts files where a directory is missing. */
export const mv: Command = defineCommand("mv", async (args, ctx) => {
  const parsed = parseGnuOptions(PROGRAM, args);
  if (!parsed.ok) return parsed.result;
  const { has } = parsed.args;
  const backup = backupOf(parsed.args, ctx.env);
  if (typeof backup === "string") {
    return {
      stdout: "",
      stderr: `mv: invalid argument ${quoteValue(backup)} for ${quoteValue("backup type")}\n`,
      exitCode: 1,
    };
  }
  const pairs = await pairsOf("mv", parsed.args, ctx, false);
  if (!("length" in pairs)) return pairs;
  const report = new Report("mv");
  const request: Request = {
    onExisting: onExisting(parsed.args),
    update: has("update"),
    verbose: has("verbose"),
    backup,
    answers: new Answers(decodeBytesToUtf8(ctx.stdin)),
  };
  const made = new Set<string>();
  for (const { source, destination } of pairs) await move(ctx, source, destination, request, report, made);
  return report.result();
});

async function move(
  ctx: CommandContext,
  source: string,
  destination: string,
  request: Request,
  report: Report,
  made: Set<string>,
): Promise<void> {
  const { fs, cwd } = ctx;
  const [fromPath, toPath] = [pathOf(fs, cwd, source), pathOf(fs, cwd, destination)];
  const [from, to] = [quoteName(source), quoteName(destination)];
  let entry: Look;
  try {
    entry = await look(fs, fromPath, false);
  } catch (error) {
    report.failed(`cannot stat ${from}`, error);
    return;
  }
  const there = await lookIfThere(fs, toPath, false);
  const [bareFrom, bareTo] = [fs.resolvePath("/", fromPath), fs.resolvePath("/", toPath)];
  let kept: string | undefined;
  if (entry.isDirectory && `${bareTo}/`.startsWith(`${bareFrom}/`) && bareTo !== bareFrom) {
    report.fail(`cannot move ${from} to a subdirectory of itself, ${to}`);
    return;
  }
  if (there !== null) {
    if (request.update && there.mtime.getTime() >= entry.mtime.getTime()) return;
    if (request.onExisting === "keep") return;
    if (bareFrom === bareTo) {
      report.fail(`${from} and ${to} are the same file`);
      return;
    }
    if (made.has(bareTo)) {
      report.fail(`will not overwrite just-created ${to} with ${from}`);
      return;
    }
    if (request.onExisting === "ask") {
      asks(report, "mv", destination);
      if (!request.answers.isYes()) return;
    }
    if (there.isDirectory && !entry.isDirectory) {
      report.fail(`cannot overwrite directory ${to} with non-directory`);
      return;
    }
    if (!there.isDirectory && entry.isDirectory && request.backup.kind === "none") {
      report.fail(`cannot overwrite non-directory ${to} with directory ${from}`);
      return;
    }
  }
  try {
    if (there !== null && request.backup.kind !== "none")
      kept = await putAside(ctx, destination, request.backup);
    // Two names of one file: the kernel would leave both.
    if (there !== null && kept === undefined && !entry.isDirectory && isSameFile(entry, there))
      await fs.rm(fromPath);
    else {
      if (toPath.endsWith("/") && there === null && !entry.isDirectory)
        throw Object.assign(new Error(), { code: "ENOTDIR" });
      await fs.mv(fromPath, bareTo);
    }
    made.add(bareTo);
    const note = kept === undefined ? "" : ` (backup: ${quoteName(kept)})`;
    if (request.verbose) report.print(`renamed ${from} -> ${to}${note}\n`);
  } catch (error) {
    report.failed(`cannot move ${from} to ${to}`, error);
  }
}
