/** `chown` and `chgrp`: every file is the one user's, so only that can be asked for. */
import { type Command, type CommandContext, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { answer, pathOf } from "./answer.ts";

type Key =
  | "changes"
  | "silent"
  | "verbose"
  | "recursive"
  | "noDereference"
  | "dereference"
  | "reference"
  | "from";

function program(name: "chown" | "chgrp"): GnuProgram<Key> {
  return {
    name,
    options: {
      changes: { short: "c", long: "changes" },
      silent: { short: "f", long: "quiet" },
      verbose: { short: "v", long: "verbose" },
      recursive: { short: "R", long: "recursive" },
      noDereference: { short: "h", long: "no-dereference" },
      dereference: { long: "dereference" },
      reference: { long: "reference", value: "required" },
      from: { long: "from", value: "required" },
    },
    compatibleWith: "GNU coreutils 9.1",
    help: `Usage: ${name} [OPTION]... ${name === "chown" ? "[OWNER][:[GROUP]]" : "GROUP"} FILE...
Change the ${name === "chown" ? "owner and/or group" : "group"} of each FILE. In this sandbox all files belong to user (1000),
and no other owner can be given.

  -c, -f, -v, -R, -h, --reference=RFILE, --from=OWNER:GROUP are taken
      --help     display this help and exit
      --version  output version information and exit
`,
  };
}

const OWN = /^(?:user|1000)?(?::(?:user|1000)?)?$/;

function owners(name: "chown" | "chgrp"): Command {
  return defineCommand(name, async (args: string[], ctx: CommandContext) => {
    const parsed = parseGnuOptions(program(name), args);
    if (!parsed.ok) return parsed.result;
    const { has } = parsed.args;
    const operands = has("reference") ? ["user", ...parsed.args.operands] : parsed.args.operands;
    const [owner, ...files] = operands;
    if (owner === undefined) return usageError(program(name), "missing operand");
    if (files.length === 0) return usageError(program(name), `missing operand after ‘${owner}’`);
    const what = name === "chown" ? "ownership" : "group";
    let stderr = "";
    for (const file of files) {
      const isThere = await ctx.fs.lstat(pathOf(ctx, file)).catch(() => null);
      if (isThere === null) stderr += `${name}: cannot access '${file}': No such file or directory\n`;
      else if (!OWN.test(owner))
        stderr += `${name}: changing ${what} of '${file}': Operation not permitted\n`;
    }
    return answer("", has("silent") ? "" : stderr, stderr === "" ? 0 : 1);
  });
}

export const chown: Command = owners("chown");
export const chgrp: Command = owners("chgrp");
