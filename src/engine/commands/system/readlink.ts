import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { reasonOf } from "../reason.ts";
import { answer, pathOf } from "./answer.ts";
import { canonicalPath, type Existing } from "./canonical-path.ts";

type Key = "parents" | "existing" | "missing" | "noNewline" | "quiet" | "silent" | "verbose" | "zero";

const program: GnuProgram<Key> = {
  name: "readlink",
  options: {
    parents: { short: "f", long: "canonicalize" },
    existing: { short: "e", long: "canonicalize-existing" },
    missing: { short: "m", long: "canonicalize-missing" },
    noNewline: { short: "n", long: "no-newline" },
    quiet: { short: "q", long: "quiet" },
    silent: { short: "s", long: "silent" },
    verbose: { short: "v", long: "verbose" },
    zero: { short: "z", long: "zero" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: readlink [OPTION]... FILE...
Print where each symbolic link leads, or the canonical name of each FILE.

  -f, --canonicalize           resolve all links; all parts but the last must exist
  -e, --canonicalize-existing  the same; all parts must exist
  -m, --canonicalize-missing   the same; no part needs to exist
  -n, --no-newline             print no newline after the only name
  -q, --quiet, -s, --silent    print no errors (default)
  -v, --verbose                print errors
  -z, --zero                   end each line with NUL, not newline
      --help                   display this help and exit
      --version                output version information and exit
`,
};

const EXISTING: Partial<Record<Key, Existing>> = { parents: "parents", existing: "all", missing: "none" };

/** `readlink` as coreutils has it. */
export const readlink: Command = defineCommand("readlink", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { operands, given, has } = parsed.args;
  if (operands.length === 0) return usageError(program, "missing operand");
  const existing = given.flatMap(({ key }) => EXISTING[key] ?? []).at(-1);
  const isVerbose =
    given.findLast(({ key }) => ["quiet", "silent", "verbose"].includes(key))?.key === "verbose";

  let stdout = "";
  let stderr = "";
  let failed = false;
  if (has("noNewline") && operands.length > 1)
    stderr += "readlink: ignoring --no-newline with multiple arguments\n";
  const end = has("noNewline") && operands.length === 1 ? "" : has("zero") ? "\0" : "\n";
  for (const operand of operands) {
    const found =
      existing === undefined
        ? await ctx.fs.readlink(pathOf(ctx, operand)).then(
            (path) => ({ path }),
            (error: unknown) => ({ why: reasonOf(error) }),
          )
        : await canonicalPath(ctx.fs, ctx.cwd, operand, { existing, links: "physical" });
    if ("path" in found) stdout += found.path + end;
    else {
      failed = true;
      if (isVerbose) stderr += `readlink: ${operand}: ${found.why}\n`;
    }
  }
  return answer(stdout, stderr, failed ? 1 : 0);
});
