import { type Command, defineCommand } from "just-bash";
import { parseGnuOptions, usageError } from "../gnu-options.ts";
import { codeOf } from "../reason.ts";
import { lookIfThere, pathOf } from "./look.ts";
import { parseMode } from "./mode-change.ts";
import { quoteName, quoteValue } from "./quote-name.ts";
import { Report } from "./report.ts";

const MKDIR = {
  name: "mkdir",
  help: `Usage: mkdir [OPTION]... DIRECTORY...
Create the DIRECTORY(ies), if they do not already exist.

  -m, --mode=MODE   set file mode (as in chmod), not a=rwx - umask
  -p, --parents     no error if existing, make parent directories as needed
  -v, --verbose     print a message for each created directory
`,
  compatibleWith: "GNU coreutils 9.1",
  options: {
    mode: { short: "m", long: "mode", value: "required" },
    parents: { short: "p", long: "parents" },
    verbose: { short: "v", long: "verbose" },
    context: { short: "Z", long: "context", value: "optional" },
  },
} as const;

/** `mkdir` as coreutils has it: with modes, and with a line for each directory made. */
export const mkdir: Command = defineCommand("mkdir", async (args, { fs, cwd }) => {
  const parsed = parseGnuOptions(MKDIR, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has, value } = parsed.args;
  if (operands.length === 0) return usageError(MKDIR, "missing operand");
  const report = new Report("mkdir");
  const modeText = value("mode");
  const change = modeText === undefined ? undefined : parseMode(modeText);
  if (change === null) {
    report.fail(`invalid mode ${quoteValue(modeText ?? "")}`);
    return report.result();
  }
  const make = async (shown: string, mode: number | undefined): Promise<void> => {
    const path = fs.resolvePath(cwd, shown);
    await fs.mkdir(path);
    if (mode !== undefined) await fs.chmod(path, mode);
    if (has("verbose")) report.print(`mkdir: created directory ${quoteName(shown)}\n`);
  };
  for (const operand of operands) {
    const mode = change?.(0o777, true);
    let shown = operand;
    try {
      if (has("parents")) {
        const parts = operand.replace(/(?<=.)\/+$/, "").split(/(?<=[^/])\/+/);
        for (let count = 1; count < parts.length; count++) {
          shown = parts.slice(0, count).join("/");
          if ((await lookIfThere(fs, pathOf(fs, cwd, shown), true)) !== null) continue;
          await make(shown, undefined);
        }
        shown = operand;
        if ((await lookIfThere(fs, fs.resolvePath(cwd, operand), true))?.isDirectory) continue;
      }
      if (operand === "") await fs.mkdir("");
      await make(operand, mode);
    } catch (error) {
      report.failed(`cannot create directory ${quoteValue(shown)}`, error);
    }
  }
  return report.result();
});

const RMDIR = {
  name: "rmdir",
  help: `Usage: rmdir [OPTION]... DIRECTORY...
Remove the DIRECTORY(ies), if they are empty.

      --ignore-fail-on-non-empty
                    ignore each failure that is solely because a directory
                      is non-empty
  -p, --parents     remove DIRECTORY and its ancestors; e.g., 'rmdir -p a/b/c' is
                      similar to 'rmdir a/b/c a/b a'
  -v, --verbose     output a diagnostic for every directory processed
`,
  compatibleWith: "GNU coreutils 9.1",
  options: {
    ignore: { long: "ignore-fail-on-non-empty" },
    parents: { short: "p", long: "parents" },
    verbose: { short: "v", long: "verbose" },
  },
} as const;

/** `rmdir` as coreutils has it. */
export const rmdir: Command = defineCommand("rmdir", async (args, { fs, cwd }) => {
  const parsed = parseGnuOptions(RMDIR, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has } = parsed.args;
  if (operands.length === 0) return usageError(RMDIR, "missing operand");
  const report = new Report("rmdir");
  const remove = async (shown: string): Promise<boolean> => {
    if (has("verbose")) report.print(`rmdir: removing directory, ${quoteName(shown)}\n`);
    const path = pathOf(fs, cwd, shown);
    try {
      const entry = await fs.lstat(path);
      if (!entry.isDirectory) {
        report.fail(`failed to remove ${quoteName(shown)}: Not a directory`);
        return false;
      }
      await fs.rm(fs.resolvePath(cwd, shown));
      return true;
    } catch (error) {
      if (!has("ignore") || codeOf(error) !== "ENOTEMPTY")
        report.failed(`failed to remove ${quoteName(shown)}`, error);
      return false;
    }
  };
  for (const operand of operands) {
    let shown = operand.replace(/(?<=.)\/+$/, "");
    let isRemoved = await remove(operand);
    while (isRemoved && has("parents") && shown.includes("/")) {
      shown = shown.replace(/\/+[^/]*$/, "");
      if (shown === "") break;
      isRemoved = await remove(shown);
    }
  }
  return report.result();
});
