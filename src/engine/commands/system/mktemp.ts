import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { randomBytes } from "../../../workspace/node-fs.ts";
import { type GnuArguments, type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { reasonOf } from "../reason.ts";
import { answer, pathOf } from "./answer.ts";

type Key = "directory" | "dryRun" | "quiet" | "suffix" | "inDirectory" | "tmpdir" | "plain";

const program: GnuProgram<Key> = {
  name: "mktemp",
  options: {
    directory: { short: "d", long: "directory" },
    dryRun: { short: "u", long: "dry-run" },
    quiet: { short: "q", long: "quiet" },
    suffix: { long: "suffix", value: "required" },
    inDirectory: { short: "p", value: "required" },
    tmpdir: { long: "tmpdir", value: "optional" },
    plain: { short: "t" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: mktemp [OPTION]... [TEMPLATE]
Create a temporary file or directory, safely, and print its name.
TEMPLATE must contain at least 3 consecutive 'X's in last component.
If TEMPLATE is not specified, use tmp.XXXXXXXXXX, and --tmpdir is implied.
Files are created u+rw, and directories u+rwx, minus umask restrictions.

  -d, --directory     create a directory, not a file
  -u, --dry-run       do not create anything; merely print a name (unsafe)
  -q, --quiet         suppress diagnostics about file/dir-creation failure
      --suffix=SUFF   append SUFF to TEMPLATE; SUFF must not contain a slash.
                        This option is implied if TEMPLATE does not end in X
  -p DIR, --tmpdir[=DIR]  interpret TEMPLATE relative to DIR; if DIR is not
                        specified, use $TMPDIR if set, else /tmp.  With
                        this option, TEMPLATE must not be an absolute name;
                        unlike with -t, TEMPLATE may contain slashes, but
                        mktemp creates only the final component
  -t                  interpret TEMPLATE as a single file name component,
                        relative to a directory: $TMPDIR, if set; else the
                        directory specified via -p; else /tmp [deprecated]
      --help        display this help and exit
      --version     output version information and exit
`,
};

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/** Each is a chance of one in 238,328 at least to meet a free name, with three letters and half of all names taken. */
const MAX_TRIES = 1_000;

/** `mktemp` as coreutils has it. */
export const mktemp: Command = defineCommand("mktemp", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const template = readTemplate(parsed.args, ctx);
  return typeof template === "object" && "stem" in template ? make(template, parsed.args, ctx) : template;
});

/** `stem`, then so many random letters, then `suffix`. */
interface Template {
  readonly stem: string;
  readonly letters: number;
  readonly suffix: string;
}

function readTemplate(args: GnuArguments<Key>, { exportedEnv }: CommandContext): Template | ExecResult {
  const fail = (why: string): ExecResult => answer("", `mktemp: ${why}\n`);
  if (args.operands.length > 1) return usageError(program, "too many templates");
  const [given] = args.operands;
  let name = given ?? "tmp.XXXXXXXXXX";
  let suffix = args.value("suffix");
  if (suffix !== undefined) {
    if (!name.endsWith("X")) return fail(`with --suffix, template ‘${name}’ must end in X`);
  } else {
    const end = name.lastIndexOf("X") + 1;
    suffix = name.slice(end);
    name = name.slice(0, end);
  }
  const [run = ""] = /X*$/.exec(name) ?? [];
  if (suffix.includes("/")) return fail(`invalid suffix ‘${suffix}’, contains directory separator`);
  if (run.length < 3) return fail(`too few X's in template ‘${given ?? name}’`);
  const stem = name.slice(0, name.length - run.length);
  const asked = args.value("inDirectory") ?? args.value("tmpdir");
  const relative = given === undefined || args.has("plain") || args.has("inDirectory") || args.has("tmpdir");
  if (!relative) return { stem, letters: run.length, suffix };
  const ofEnvironment = exportedEnv?.TMPDIR || undefined;
  if (args.has("plain") && stem.includes("/"))
    return fail(`invalid template, ‘${given}’, contains directory separator`);
  if (stem.startsWith("/"))
    return fail(`invalid template, ‘${given}’; with --tmpdir, it may not be absolute`);
  const directory = (args.has("plain") ? ofEnvironment || asked : asked || ofEnvironment) || "/tmp";
  return {
    stem: directory.endsWith("/") ? directory + stem : `${directory}/${stem}`,
    letters: run.length,
    suffix,
  };
}

async function make(
  { stem, letters, suffix }: Template,
  args: GnuArguments<Key>,
  ctx: CommandContext,
): Promise<ExecResult> {
  const isDirectory = args.has("directory");
  let why = "File exists";
  for (let tries = 0; tries < MAX_TRIES && why === "File exists"; tries++) {
    const name = `${stem}${randomLetters(letters)}${suffix}`;
    try {
      if (!args.has("dryRun")) await create(ctx, name, isDirectory);
      else if (await isThere(ctx, name)) continue;
      return answer(`${name}\n`);
    } catch (error) {
      why = reasonOf(error);
    }
  }
  if (args.has("quiet")) return answer("", "", 1);
  const template = `${stem}${"X".repeat(letters)}${suffix}`;
  return answer(
    "",
    `mktemp: failed to create ${isDirectory ? "directory" : "file"} via template ‘${template}’: ${why}\n`,
  );
}

/** `writeFile` of `MountFs`, which the engine hands on with all arguments. */
interface NewFileMaker {
  writeFile(path: string, content: string, encoding: "utf8", place: { newWithMode: number }): Promise<void>;
}

async function create(ctx: CommandContext, name: string, isDirectory: boolean): Promise<void> {
  const path = pathOf(ctx, name);
  if (isDirectory) {
    await ctx.fs.mkdir(path);
    await ctx.fs.chmod(path, 0o700);
  } else await (ctx.fs as unknown as NewFileMaker).writeFile(path, "", "utf8", { newWithMode: 0o600 });
}

async function isThere(ctx: CommandContext, name: string): Promise<boolean> {
  return ctx.fs.lstat(pathOf(ctx, name)).then(
    () => true,
    () => false, // whatever hides it, a name that cannot be looked at is as good as free: nothing is made
  );
}

/** Each letter is as likely as any other: bytes beyond the last full round are thrown away. */
function randomLetters(count: number): string {
  let name = "";
  while (name.length < count) {
    for (const byte of randomBytes(count)) {
      if (byte < 248 && name.length < count) name += LETTERS[byte % LETTERS.length] ?? "";
    }
  }
  return name;
}
