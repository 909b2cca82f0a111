import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { nameOfVirtualPath } from "../../../shared/virtual-path.ts";
import { type GnuArguments, type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { reasonOf } from "../reason.ts";
import { answer, pathOf } from "./answer.ts";
import { changeOfMode } from "./file-mode.ts";

type Key =
  | "backup"
  | "compare"
  | "directory"
  | "parents"
  | "group"
  | "mode"
  | "owner"
  | "preserve"
  | "strip"
  | "target"
  | "noTarget"
  | "verbose"
  | "ignored";

const program: GnuProgram<Key> = {
  name: "install",
  options: {
    backup: { short: "b", long: "backup", value: "optional" },
    ignored: { short: "c" },
    compare: { short: "C", long: "compare" },
    directory: { short: "d", long: "directory" },
    parents: { short: "D" },
    group: { short: "g", long: "group", value: "required" },
    mode: { short: "m", long: "mode", value: "required" },
    owner: { short: "o", long: "owner", value: "required" },
    preserve: { short: "p", long: "preserve-timestamps" },
    strip: { short: "s", long: "strip" },
    target: { short: "t", long: "target-directory", value: "required" },
    noTarget: { short: "T", long: "no-target-directory" },
    verbose: { short: "v", long: "verbose" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: install [OPTION]... [-T] SOURCE DEST
  or:  install [OPTION]... SOURCE... DIRECTORY
  or:  install [OPTION]... -t DIRECTORY SOURCE...
  or:  install [OPTION]... -d DIRECTORY...
Copy files and set their permissions, or make directories.

  -C, --compare               leave a destination alone that is the same
  -d, --directory             make all parts of each DIRECTORY
  -D                          make all parts of DEST but the last, or of DIRECTORY with -t
  -m, --mode=MODE             permissions as in chmod, instead of rwxr-xr-x
  -p, --preserve-timestamps   keep the times of SOURCE
  -t, --target-directory=DIRECTORY  copy all SOURCEs into DIRECTORY
  -T, --no-target-directory   DEST is a file
  -v, --verbose               print what is done
      --help                  display this help and exit
      --version               output version information and exit

-g and -o take 'user' and 1000 alone; -c is ignored; -b and -s are not available.
`,
};

const DEFAULT_MODE = 0o755;

/** `install` as coreutils has it, for the one user that there is. */
export const install: Command = defineCommand("install", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has, value, given } = parsed.args;
  const fail = (why: string): ExecResult => answer("", `install: ${why}\n`);
  for (const key of ["backup", "strip"] as const)
    if (has(key)) return fail(`option '--${key}' is not available in this sandbox`);
  for (const { key, value: name = "" } of given) {
    if ((key === "owner" || key === "group") && !/^(user|1000)$/.test(name))
      return fail(`cannot change ownership: the sandbox has one user, 'user' (1000)`);
  }
  const mode = changeOfMode(value("mode") ?? DEFAULT_MODE.toString(8), 0, has("directory"));
  if (mode === null) return fail(`invalid mode ‘${value("mode")}’`);
  if (operands.length === 0) return usageError(program, "missing file operand");
  return has("directory") ? makeDirectories(parsed.args, mode, ctx) : installFiles(parsed.args, mode, ctx);
});

async function makeDirectories(
  { operands, has }: GnuArguments<Key>,
  mode: number,
  ctx: CommandContext,
): Promise<ExecResult> {
  let stdout = "";
  let stderr = "";
  for (const operand of operands) {
    const why = await makeWithParents(ctx, operand, (made) => {
      if (has("verbose")) stdout += `install: creating directory '${made}'\n`;
    });
    const failure = why ?? (await ctx.fs.chmod(pathOf(ctx, operand), mode).then(() => null, reasonOf));
    if (failure !== null) stderr += `install: cannot create directory ‘${operand}’: ${failure}\n`;
  }
  return answer(stdout, stderr);
}

/** Makes what is missing of a path and tells each; why not, or null. */
async function makeWithParents(
  ctx: CommandContext,
  operand: string,
  tell: (made: string) => void,
): Promise<string | null> {
  const names = operand.split("/");
  for (let count = 1; count <= names.length; count++) {
    const shown = names.slice(0, count).join("/");
    if (shown === "" || (names[count - 1] ?? "") === "") continue;
    const stat = await ctx.fs.stat(pathOf(ctx, shown)).catch(reasonOf);
    if (typeof stat !== "string") {
      if (!stat.isDirectory) return count === names.length ? "File exists" : "Not a directory";
      continue;
    }
    const failure = await ctx.fs.mkdir(pathOf(ctx, shown)).catch(reasonOf);
    if (failure !== undefined) return failure;
    tell(shown);
  }
  return null;
}

async function installFiles(args: GnuArguments<Key>, mode: number, ctx: CommandContext): Promise<ExecResult> {
  const { operands, has, value } = args;
  const target = value("target");
  const sources = target === undefined ? operands.slice(0, -1) : operands;
  const last = target ?? operands[operands.length - 1] ?? "";
  if (sources.length === 0) return usageError(program, `missing destination file operand after '${last}'`);
  let stdout = "";
  let stderr = "";
  const tell = (made: string): void => {
    if (has("verbose")) stdout += `install: creating directory '${made}'\n`;
  };
  if (has("parents")) {
    const directory = target ?? (last.includes("/") ? last.slice(0, last.lastIndexOf("/")) : "");
    const why = directory === "" ? null : await makeWithParents(ctx, directory, tell);
    if (why !== null) return answer(stdout, `install: cannot create directory ‘${directory}’: ${why}\n`);
  }
  const isDirectory = !has("noTarget") && (await isThereAsDirectory(ctx, last));
  if (target !== undefined && !isDirectory)
    return answer(stdout, `install: failed to access '${last}': No such file or directory\n`);
  if (!isDirectory && sources.length > 1) {
    return has("noTarget")
      ? usageError(program, `extra operand '${sources[1]}'`)
      : answer(stdout, `install: target '${last}': No such file or directory\n`);
  }
  for (const source of sources) {
    const shown = isDirectory
      ? `${last.replace(/(?<=.)\/+$/, "")}/${nameOfVirtualPath(source.replace(/\/+$/, ""))}`
      : last;
    const done = await installOne(ctx, source, shown, mode, has);
    if (typeof done === "string") stderr += `install: ${done}\n`;
    else if (has("verbose")) stdout += done.map((line) => `${line}\n`).join("");
  }
  return answer(stdout, stderr);
}

/** What was done, line by line, or why it cannot be. */
async function installOne(
  ctx: CommandContext,
  source: string,
  shown: string,
  mode: number,
  has: (key: Key) => boolean,
): Promise<string | readonly string[]> {
  const { fs } = ctx;
  const from = pathOf(ctx, source);
  const to = pathOf(ctx, shown);
  const stat = await fs.stat(from).catch(reasonOf);
  if (typeof stat === "string") return `cannot stat '${source}': ${stat}`;
  if (stat.isDirectory) return `omitting directory '${source}'`;
  const there = await fs.lstat(to).catch(() => null);
  if (there?.isDirectory) return `cannot overwrite directory '${shown}' with non-directory`;
  if (there !== null && (await fs.realpath(to).catch(() => "")) === (await fs.realpath(from)))
    return `'${source}' and '${shown}' are the same file`;
  const content = await fs.readFileBuffer(from).catch(reasonOf);
  if (typeof content === "string") return `cannot open '${source}' for reading: ${content}`;
  if (has("compare") && there?.isFile && (there.mode & 0o7777) === mode && (await isSame(ctx, to, content)))
    return [];
  try {
    // A new file and not new content of the old one: other names of that keep what they had.
    if (there !== null) await fs.rm(to);
    await fs.writeFile(to, content);
    await fs.chmod(to, mode);
    if (has("preserve")) await fs.utimes(to, stat.mtime, stat.mtime);
    return [...(there === null ? [] : [`removed '${shown}'`]), `'${source}' -> '${shown}'`];
  } catch (error) {
    return `cannot create regular file '${shown}': ${reasonOf(error)}`;
  }
}

async function isSame({ fs }: CommandContext, path: string, content: Uint8Array): Promise<boolean> {
  const there = await fs.readFileBuffer(path).catch(() => null);
  return there !== null && there.length === content.length && there.every((byte, at) => byte === content[at]);
}

async function isThereAsDirectory(ctx: CommandContext, operand: string): Promise<boolean> {
  const stat = await ctx.fs.stat(pathOf(ctx, operand)).catch(() => null);
  return stat?.isDirectory ?? false;
}
