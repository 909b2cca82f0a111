import { type Command, type CommandContext, defineCommand } from "just-bash";
import { isAtOrBelow } from "../../../shared/virtual-path.ts";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { answer } from "./answer.ts";
import { type CanonicalOptions, canonicalPath, type Existing, relativePath } from "./canonical-path.ts";

type Key =
  | "existing"
  | "missing"
  | "logical"
  | "physical"
  | "plain"
  | "quiet"
  | "zero"
  | "relativeTo"
  | "relativeBase";

const program: GnuProgram<Key> = {
  name: "realpath",
  options: {
    existing: { short: "e", long: "canonicalize-existing" },
    missing: { short: "m", long: "canonicalize-missing" },
    logical: { short: "L", long: "logical" },
    physical: { short: "P", long: "physical" },
    plain: { short: "s", long: "strip" },
    quiet: { short: "q", long: "quiet" },
    zero: { short: "z", long: "zero" },
    relativeTo: { long: "relative-to", value: "required" },
    relativeBase: { long: "relative-base", value: "required" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: realpath [OPTION]... FILE...
Print the absolute name of each FILE, with all links resolved; all parts but the last must exist.

  -e, --canonicalize-existing  all parts must exist
  -m, --canonicalize-missing   no part needs to exist or be a directory
  -L, --logical                take '..' away before links are resolved
  -P, --physical               resolve links as they are met (default)
  -q, --quiet                  print no errors
      --relative-to=DIR        print names relative to DIR
      --relative-base=DIR      print absolute names unless they are below DIR
  -s, --strip, --no-symlinks   resolve no links
  -z, --zero                   end each line with NUL, not newline
      --help                   display this help and exit
      --version                output version information and exit
`,
};

/** `realpath` as coreutils has it. */
export const realpath: Command = defineCommand("realpath", async (args, ctx) => {
  const parsed = parseGnuOptions(
    program,
    args.map((arg) => (arg === "--no-symlinks" ? "--strip" : arg)),
  );
  if (!parsed.ok) return parsed.result;
  const { operands, has, value } = parsed.args;
  if (operands.length === 0) return usageError(program, "missing operand");
  let existing: Existing = "parents";
  let links: CanonicalOptions["links"] = "physical";
  for (const { key } of parsed.args.given) {
    if (key === "existing") existing = "all";
    else if (key === "missing") existing = "none";
    else if (key === "logical") links = "logical";
    else if (key === "physical") links = "physical";
    else if (key === "plain") links = "never";
  }
  const options: CanonicalOptions = { existing, links };

  const base = await directory(ctx, value("relativeBase"), options);
  if (base !== undefined && "result" in base) return base.result;
  const to = await directory(ctx, value("relativeTo"), options);
  if (to !== undefined && "result" in to) return to.result;
  const from = to?.path ?? base?.path;
  const isUsable = base === undefined || (from !== undefined && isAtOrBelow(from, base.path));

  let stdout = "";
  let stderr = "";
  let failed = false;
  for (const operand of operands) {
    const found = await canonicalPath(ctx.fs, ctx.cwd, operand, options);
    if ("why" in found) {
      failed = true;
      if (!has("quiet")) stderr += `realpath: ${operand === "" ? "''" : operand}: ${found.why}\n`;
      continue;
    }
    const isRelative =
      from !== undefined && isUsable && (base === undefined || isAtOrBelow(found.path, base.path));
    stdout += (isRelative ? relativePath(found.path, from) : found.path) + (has("zero") ? "\0" : "\n");
  }
  return answer(stdout, stderr, failed ? 1 : 0);
});

async function directory(
  { fs, cwd }: CommandContext,
  operand: string | undefined,
  options: CanonicalOptions,
): Promise<{ path: string } | { result: ReturnType<typeof answer> } | undefined> {
  if (operand === undefined) return undefined;
  const found = await canonicalPath(fs, cwd, operand, options);
  if ("path" in found) {
    const stat = options.existing === "all" ? await fs.stat(found.path) : null;
    if (stat === null || stat.isDirectory) return found;
    return { result: answer("", `realpath: ${operand}: Not a directory\n`) };
  }
  return { result: answer("", `realpath: ${operand}: ${found.why}\n`) };
}
