/** Who runs the scripts: the one user that the sandbox shows, whoever runs the worker on the host. */
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { answer } from "./answer.ts";

interface User {
  readonly name: string;
  readonly id: number;
}

const USERS: readonly User[] = [
  { name: "user", id: 1000 },
  { name: "root", id: 0 },
];

type Key = "user" | "group" | "groups" | "name" | "real" | "zero" | "ignored" | "context";

const idProgram: GnuProgram<Key> = {
  name: "id",
  options: {
    ignored: { short: "a" },
    context: { short: "Z", long: "context" },
    group: { short: "g", long: "group" },
    groups: { short: "G", long: "groups" },
    name: { short: "n", long: "name" },
    real: { short: "r", long: "real" },
    user: { short: "u", long: "user" },
    zero: { short: "z", long: "zero" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: id [OPTION]... [USER]...
Print user and group of each USER, or of the current user.

  -a             ignored
  -g, --group    print only the group
  -G, --groups   print all groups
  -n, --name     print a name and not a number, for -ugG
  -r, --real     print the real number and not the effective one, for -ugG
  -u, --user     print only the user
  -z, --zero     end each entry with NUL
      --help     display this help and exit
      --version  output version information and exit
`,
};

/** `id` as coreutils has it. Every user is in the group of its own name alone. */
export const id: Command = defineCommand("id", async (args) => {
  const parsed = parseGnuOptions(idProgram, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has } = parsed.args;
  if (has("context")) return answer("", "id: --context (-Z) works only on an SELinux-enabled kernel\n");
  const choices = (["user", "group", "groups"] as const).filter(has);
  if (choices.length > 1) return answer("", 'id: cannot print "only" of more than one choice\n');
  const [only] = choices;
  if (only === undefined && (has("name") || has("real")))
    return answer("", "id: cannot print only names or real IDs in default format\n");
  if (only === undefined && has("zero"))
    return answer("", "id: option --zero not permitted in default format\n");
  return forUsers("id", operands, ({ name, id }) => {
    if (only === undefined) return `uid=${id}(${name}) gid=${id}(${name}) groups=${id}(${name})\n`;
    return (has("name") ? name : id) + (has("zero") ? "\0" : "\n");
  });
});

/** `groups` as coreutils has it. */
export const groups: Command = defineCommand("groups", async (args) => {
  const parsed = parseGnuOptions(
    plainProgram("groups", "[USER]...", "Print the groups of each USER, or of the current user."),
    args,
  );
  if (!parsed.ok) return parsed.result;
  const { operands } = parsed.args;
  return forUsers("groups", operands, ({ name }) =>
    operands.length === 0 ? `${name}\n` : `${name} : ${name}\n`,
  );
});

/** `logname`, `tty`, `who` and `users`: nobody has logged in here, and there is no terminal. */
export const logname: Command = withoutOperands("logname", "Print the name of the user who logged in.", () =>
  answer("", "logname: no login name\n"),
);
export const users: Command = withoutOperands(
  "users",
  "Print the names of the users who are logged in.",
  () => answer(""),
);
export const who: Command = defineCommand("who", async () => answer(""));
export const tty: Command = defineCommand("tty", async (args) => {
  const program: GnuProgram<"silent"> = {
    ...plainProgram(
      "tty",
      "[-s]",
      "Print the name of the terminal on standard input; -s, --silent, --quiet: print nothing.",
    ),
    options: { silent: { short: "s", long: "silent" } },
    usageStatus: 2,
  };
  const parsed = parseGnuOptions(
    program,
    args.map((arg) => (arg === "--quiet" ? "--silent" : arg)),
  );
  if (!parsed.ok) return parsed.result;
  const [extra] = parsed.args.operands;
  if (extra !== undefined) return usageError(program, `extra operand ‘${extra}’`);
  return answer(parsed.args.has("silent") ? "" : "not a tty\n", "", 1);
});

function withoutOperands(name: string, what: string, run: (ctx: CommandContext) => ExecResult): Command {
  return defineCommand(name, async (args, ctx) => {
    const program = plainProgram(name, "", what);
    const parsed = parseGnuOptions(program, args);
    if (!parsed.ok) return parsed.result;
    const [extra] = parsed.args.operands;
    return extra === undefined ? run(ctx) : usageError(program, `extra operand ‘${extra}’`);
  });
}

function plainProgram(name: string, operands: string, what: string): GnuProgram<never> {
  return {
    name,
    options: {},
    compatibleWith: "GNU coreutils 9.1",
    help: `Usage: ${name} ${operands}\n${what}\n\n      --help     display this help and exit\n      --version  output version information and exit\n`,
  };
}

function forUsers(program: string, operands: readonly string[], show: (user: User) => string): ExecResult {
  let stdout = "";
  let stderr = "";
  for (const operand of operands.length === 0 ? ["user"] : operands) {
    const user = USERS.find(
      ({ name, id }) => name === operand || (/^\+?\d+$/.test(operand) && Number(operand) === id),
    );
    if (user === undefined) stderr += `${program}: ‘${operand}’: no such user\n`;
    else stdout += show(user);
  }
  return answer(stdout, stderr);
}
