/** `ps`, `pgrep`, `pkill`, `killall`, `uptime` and `free`: what there is to see is one shell, and the program itself. */
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { answer } from "./answer.ts";

interface Process {
  readonly pid: number;
  readonly ppid: number;
  readonly comm: string;
  readonly args: string;
}

const USER = "user";

/** Names of columns → heading, and the value. Numbers stand right. */
const COLUMNS: Readonly<
  Record<string, readonly [heading: string, width: number, value: (one: Process) => string]>
> = {
  pid: ["PID", 7, ({ pid }) => String(pid)],
  ppid: ["PPID", 7, ({ ppid }) => String(ppid)],
  pgid: ["PGID", 7, ({ pid }) => String(pid)],
  sid: ["SID", 7, () => "2"],
  uid: ["UID", 5, () => "1000"],
  user: ["USER", -8, () => USER],
  euser: ["EUSER", -8, () => USER],
  comm: ["COMMAND", -15, ({ comm }) => comm],
  ucmd: ["CMD", -15, ({ comm }) => comm],
  cmd: ["CMD", -27, ({ args }) => args],
  args: ["COMMAND", -27, ({ args }) => args],
  command: ["COMMAND", -27, ({ args }) => args],
  tty: ["TT", -8, () => "?"],
  tt: ["TT", -8, () => "?"],
  tname: ["TTY", -8, () => "?"],
  stat: ["STAT", -4, ({ comm }) => (comm === "bash" ? "S" : "R")],
  state: ["S", -1, ({ comm }) => (comm === "bash" ? "S" : "R")],
  s: ["S", -1, ({ comm }) => (comm === "bash" ? "S" : "R")],
  time: ["TIME", 8, () => "00:00:00"],
  etime: ["ELAPSED", 11, () => "00:00"],
  etimes: ["ELAPSED", 7, () => "0"],
  start: ["STARTED", 8, () => "00:00:00"],
  stime: ["STIME", -5, () => "00:00"],
  c: ["C", 2, () => "0"],
  ni: ["NI", 3, () => "0"],
  pri: ["PRI", 3, () => "19"],
  pcpu: ["%CPU", 4, () => "0.0"],
  "%cpu": ["%CPU", 4, () => "0.0"],
  pmem: ["%MEM", 4, () => "0.0"],
  "%mem": ["%MEM", 4, () => "0.0"],
  vsz: ["VSZ", 6, () => "0"],
  rss: ["RSS", 5, () => "0"],
  nlwp: ["NLWP", 4, () => "1"],
};

/** `ps` in the forms that scripts use: `aux`, `-ef`, `-p`, `-C`, `-o`, `--no-headers`. Other selections show all. */
export const ps: Command = defineCommand("ps", async (args) => {
  const shown = ["ps", ...args].join(" ");
  const all: Process[] = [
    { pid: 2, ppid: 1, comm: "bash", args: "bash" },
    { pid: 3, ppid: 2, comm: "ps", args: shown },
  ];
  const columns: { name: string; heading: string }[] = [];
  let [pids, names]: [Set<number> | null, Set<string> | null] = [null, null];
  let form: "short" | "full" | "user" = "short";
  let headings = true;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (/^--no-headers?$/.test(arg)) headings = false;
    else if (/^--(?:sort|headers|forest|width|cols|columns)/.test(arg)) continue;
    else if (/^-?-?(?:p|pid|o|format|C|u|U|user|g|t|q)(?:=|$)/.test(arg) || /^-[poC]./.test(arg)) {
      const [dashed, letter, attached] = splitOption(arg);
      const key = dashed || letter || "";
      const value = attached || args[++at] || "";
      if (key === "p" || key === "pid" || key === "q")
        pids = new Set([...(pids ?? []), ...value.split(/[, ]+/).map(Number)]);
      else if (key === "C") names = new Set(value.split(","));
      else if (key === "o" || key === "format") {
        for (const item of value.split(/[, ]+/)) {
          const [name = "", ...heading] = item.split("=");
          const known = COLUMNS[name.toLowerCase()];
          if (known === undefined) {
            const usage = `error: unknown user-defined format specifier "${name}"\n\nUsage:\n ps [options]\n\n Try 'ps --help <simple|list|output|threads|misc|all>'\n  or 'ps --help <s|l|o|t|m|a>'\n for additional help text.\n\nFor more details see ps(1).\n`;
            return answer("", usage);
          }
          columns.push({
            name: name.toLowerCase(),
            heading: item.includes("=") ? heading.join("=") : known[0],
          });
        }
      }
    } else if (/^-/.test(arg)) form = /[fF]/.test(arg) ? "full" : form;
    else if (/u/.test(arg)) form = "user";
  }
  if (columns.length === 0) {
    const ofForm = {
      short: ["pid", "tname", "time", "ucmd"],
      full: ["user", "pid", "ppid", "c", "stime", "tname", "time", "cmd"],
      user: ["user", "pid", "%cpu", "%mem", "vsz", "rss", "tname", "stat", "start", "time", "args"],
    }[form];
    for (const name of ofForm)
      columns.push({
        name,
        heading: form === "full" && name === "user" ? "UID" : (COLUMNS[name]?.[0] ?? ""),
      });
  }
  const listed = all.filter(({ pid, comm }) => (pids?.has(pid) ?? true) && (names?.has(comm) ?? true));
  const row = (cell: (name: string, heading: string) => string): string =>
    columns
      .map(({ name, heading }, at) => {
        const width = Math.max(Math.abs(COLUMNS[name]?.[1] ?? 0), heading.length);
        const text = cell(name, heading);
        if ((COLUMNS[name]?.[1] ?? 0) > 0) return text.padStart(width);
        return at === columns.length - 1 ? text : text.padEnd(width);
      })
      .join(" ");
  const lines = listed.map((one) => row((name) => COLUMNS[name]?.[2](one) ?? ""));
  if (headings && columns.some(({ heading }) => heading !== "")) lines.unshift(row((_, heading) => heading));
  return answer(lines.map((line) => `${line}\n`).join(""), "", listed.length === 0 ? 1 : 0);
});

/** Name of a long option, letter of a short one, and the value that stands with it. */
function splitOption(arg: string): [string, string, string] {
  const [, long, ofLong] = /^--(\w+)(?:=(.*))?$/s.exec(arg) ?? [];
  if (long !== undefined) return [long, "", ofLong ?? ""];
  const [, letter = "", rest = ""] = /^-?(\w)(.*)$/s.exec(arg) ?? [];
  return ["", letter, rest];
}

/** What `--help` and `--version` answer; `killall` knows no `--help` and takes it for a mistake. */
function answerAbout(name: string, args: readonly string[]): ExecResult | null {
  const [first] = args;
  const isHelp = first === "--help" || (first === "-h" && name === "free");
  if (name === "killall") {
    const usage = "Usage: killall [OPTION]... [--] NAME...\n\n  -V, --version  output version information\n";
    if (isHelp) return answer("", usage, 1);
    return first === "-V" || first === "--version" ? answer("", "killall (PSmisc) 23.6\n", 0) : null;
  }
  if (isHelp) return answer(HELP[name] ?? "");
  return first === "-V" || first === "--version" ? answer(`${name} from procps-ng 4.0.2\n`) : null;
}

const END_OF_HELP = ` -V, --version  output version information and exit
     --help     display this help and exit
`;
const HELP: Readonly<Record<string, string>> = {
  pgrep: `
Usage:
 pgrep [options] <pattern>

Finds processes by name. There is one, the shell.

Options:
 -c, --count    count of matching processes
 -l, --list-name
                list PID and process name
${END_OF_HELP}`,
  pkill: `
Usage:
 pkill [options] <pattern>

Finds no process: background jobs are the shell's own (jobs, kill).

Options:
 -c, --count    count of matching processes
${END_OF_HELP}`,
  free: `
Usage:
 free [options]

Refused: the sandbox does not tell how much memory the machine has.

Options:
${END_OF_HELP}`,
};

/** Of these no other process can be found: background jobs are the shell's own (`jobs`, `kill`). */
function findsNone(name: string, says: (pattern: string) => string): Command {
  return defineCommand(name, async (args) => {
    const about = answerAbout(name, args);
    if (about !== null) return about;
    const pattern = args.filter((arg) => !arg.startsWith("-")).at(-1);
    if (pattern === undefined)
      return answer(
        "",
        `${name}: no matching criteria specified\nTry \`${name} --help' for more information.\n`,
        2,
      );
    if (name === "pgrep" && args.every((arg) => !/^-.*[vnoxufP]/.test(arg)) && matches(pattern)) {
      return answer(args.includes("-l") ? "2 bash\n" : args.includes("-c") ? "1\n" : "2\n");
    }
    return answer(args.includes("-c") ? "0\n" : "", says(pattern), 1);
  });
}

function matches(pattern: string): boolean {
  try {
    return new RegExp(pattern).test("bash");
  } catch {
    return false; // no expression, no process
  }
}

export const pgrep: Command = findsNone("pgrep", () => "");
export const pkill: Command = findsNone("pkill", () => "");
export const killall: Command = findsNone("killall", (pattern) => `${pattern}: no process found\n`);

/** `uptime` of the sandbox: it begins with the worker's first look at the clock. */
export const uptime: Command = defineCommand("uptime", async (args) => {
  const [first] = args;
  if (first === "-p" || first === "--pretty") return answer("up 0 minutes\n");
  const now = new Date().toISOString();
  if (first === "-s" || first === "--since") return answer(`${now.slice(0, 10)} ${now.slice(11, 19)}\n`);
  return answer(` ${now.slice(11, 19)} up 0 min,  0 users,  load average: 0.00, 0.00, 0.00\n`);
});

export const free: Command = defineCommand(
  "free",
  async (args) =>
    answerAbout("free", args) ??
    answer(
      "",
      "free: the sandbox does not tell how much memory the machine has; a command that holds too much is killed\n",
    ),
);

/** `df` knows places and no sizes: how full the host's disks are is not the guest's to know. */
export const df: Command = defineCommand(
  "df",
  async (args: string[], ctx: CommandContext): Promise<ExecResult> => {
    const operands = args.filter((arg) => !arg.startsWith("-"));
    const type = args.some((arg) => /^-\w*T|^--print-type/.test(arg));
    let stderr = "";
    const rows: string[] = [];
    for (const operand of operands.length === 0 ? ["/"] : operands) {
      const path = ctx.fs.resolvePath(ctx.cwd, operand);
      if (!(await ctx.fs.exists(path))) stderr += `df: ${operand}: No such file or directory\n`;
      else if (rows.length === 0)
        rows.push(`sandbox        ${type ? "sandbox " : ""}        -    -         -    - /`);
    }
    const human = args.some((arg) => /^-\w*[hH]/.test(arg) || /^--(?:human|si)/.test(arg));
    const heading = `Filesystem     ${type ? "Type    " : ""}${human ? "     Size Used     Avail" : "1K-blocks Used Available"} Use% Mounted on`;
    const stdout = rows.length === 0 ? "" : `${[heading, ...rows].join("\n")}\n`;
    return answer(stdout, stderr);
  },
);
