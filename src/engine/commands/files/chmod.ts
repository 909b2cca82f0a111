import { type Command, type CommandContext, defineCommand } from "just-bash";
import { parseGnuOptions, usageError } from "../gnu-options.ts";
import { joinShown, type Look, look, pathOf, permissionText, UMASK } from "./look.ts";
import { type ModeChange, parseMode } from "./mode-change.ts";
import { quoteName, quoteValue } from "./quote-name.ts";
import { Report } from "./report.ts";

const PROGRAM = {
  name: "chmod",
  help: `Usage: chmod [OPTION]... MODE[,MODE]... FILE...
  or:  chmod [OPTION]... OCTAL-MODE FILE...
  or:  chmod [OPTION]... --reference=RFILE FILE...
Change the mode of each FILE to MODE.

  -c, --changes          like verbose but report only when a change is made
  -f, --silent, --quiet  suppress most error messages
  -v, --verbose          output a diagnostic for every file processed
      --reference=RFILE  use RFILE's mode instead of MODE values
  -R, --recursive        change files and directories recursively

Each MODE is of the form '[ugoa]*([-+=]([rwxXst]*|[ugo]))+|[-+=][0-7]+'.
`,
  compatibleWith: "GNU coreutils 9.1",
  options: {
    changes: { short: "c", long: "changes" },
    quiet: { short: "f", long: "quiet" },
    silent: { long: "silent" },
    verbose: { short: "v", long: "verbose" },
    reference: { long: "reference", value: "required" },
    recursive: { short: "R", long: "recursive" },
    preserveRoot: { long: "preserve-root" },
    noPreserveRoot: { long: "no-preserve-root" },
  },
} as const;

interface Request {
  readonly change: ModeChange;
  readonly recursive: boolean;
  readonly quiet: boolean;
  readonly says: "all" | "changes" | "nothing";
  /** The mode as given, where it may leave out what the umask covers. */
  readonly bare: ModeChange | undefined;
}

/** `chmod` as coreutils has it. The engine's own takes wrong modes for right ones and says little. */
export const chmod: Command = defineCommand("chmod", async (args, ctx) => {
  // A mode that takes rights away looks like options: `-x`, `-rw`.
  const modeAt = args.findIndex((arg) => /^-[rwxXstugo0-7]+([-+=,]|$)/.test(arg) && arg !== "--");
  const words = modeAt < 0 ? args : args.filter((_, at) => at !== modeAt);
  const parsed = parseGnuOptions(PROGRAM, words);
  if (!parsed.ok) return parsed.result;
  const { operands, has, value } = parsed.args;
  const report = new Report("chmod");
  const reference = value("reference");
  const text = modeAt >= 0 ? args[modeAt] : reference === undefined ? operands[0] : undefined;
  const files = text === undefined || modeAt >= 0 ? operands : operands.slice(1);
  if (text === undefined && reference === undefined) return usageError(PROGRAM, "missing operand");
  if (files.length === 0) {
    return usageError(
      PROGRAM,
      text === undefined ? "missing operand" : `missing operand after ${quoteValue(text)}`,
    );
  }
  let change: ModeChange | null;
  if (reference !== undefined) {
    try {
      const { mode } = await look(ctx.fs, pathOf(ctx.fs, ctx.cwd, reference), true);
      change = () => mode;
    } catch (error) {
      report.failed(`failed to get attributes of ${quoteName(reference)}`, error);
      return report.result();
    }
  } else change = parseMode(text ?? "");
  if (change === null) return usageError(PROGRAM, `invalid mode: ${quoteValue(text ?? "")}`);
  const request: Request = {
    change,
    recursive: has("recursive"),
    quiet: has("quiet") || has("silent"),
    says: has("verbose") ? "all" : has("changes") ? "changes" : "nothing",
    bare: modeAt >= 0 && text !== undefined ? (parseMode(`a${text}`) ?? undefined) : undefined,
  };
  for (const file of files) await changeOne(ctx, file, request, report, true);
  return report.result();
});

async function changeOne(
  ctx: CommandContext,
  shown: string,
  request: Request,
  report: Report,
  isOperand: boolean,
): Promise<void> {
  const { fs, cwd } = ctx;
  const path = pathOf(fs, cwd, shown);
  const name = quoteName(shown);
  let entry: Look;
  try {
    entry = await look(fs, path, isOperand);
  } catch (error) {
    const isDangling = await look(fs, path, false).then(
      () => true,
      () => false,
    );
    if (request.quiet) report.exitCode = 1;
    else if (isDangling) report.fail(`cannot operate on dangling symlink ${name}`);
    else report.failed(`cannot access ${name}`, error);
    return;
  }
  if (entry.isSymbolicLink) return;
  const mode = request.change(entry.mode, entry.isDirectory);
  const before = entry.mode & 0o7777;
  const isSame = mode === before;
  try {
    await fs.chmod(path, mode);
  } catch (error) {
    if (request.quiet) report.exitCode = 1;
    else report.failed(`changing permissions of ${name}`, error);
    if (request.says === "all")
      report.print(`failed to change mode of ${name} from ${full(before)} to ${full(mode)}\n`);
    return;
  }
  if (request.says === "all" && isSame) report.print(`mode of ${name} retained as ${full(mode)}\n`);
  if (request.says !== "nothing" && !isSame) {
    report.print(`mode of ${name} changed from ${full(before)} to ${full(mode)}\n`);
  }
  const bare = request.bare?.(entry.mode, entry.isDirectory);
  if (bare !== undefined && bare !== mode && (mode & ~bare & UMASK) !== 0) {
    report.fail(`${shown}: new permissions are ${permissionText(mode)}, not ${permissionText(bare)}`);
  }
  if (!request.recursive || !entry.isDirectory) return;
  try {
    for (const child of await fs.readdir(path))
      await changeOne(ctx, joinShown(shown, child), request, report, false);
  } catch (error) {
    report.failed(`cannot read directory ${name}`, error);
  }
}

function full(mode: number): string {
  return `${mode.toString(8).padStart(4, "0")} (${permissionText(mode)})`;
}
