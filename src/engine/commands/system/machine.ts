/** The machine that the sandbox shows: the same one everywhere, so that nothing tells of the host. */
import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { answer } from "./answer.ts";

const COREUTILS = "GNU coreutils 9.1";
const END_OF_HELP = `      --help     display this help and exit
      --version  output version information and exit
`;

/** In the order in which `uname -a` prints them; as in `/proc/version` and `$MACHTYPE` of the engine. */
const UNAME = {
  kernelName: "Linux",
  nodeName: "localhost",
  release: "5.15.0-generic",
  kernelVersion: "#1 SMP PREEMPT",
  machine: "x86_64",
  processor: "unknown",
  platform: "unknown",
  system: "GNU/Linux",
} as const;
type Fact = keyof typeof UNAME;

const unameProgram: GnuProgram<Fact | "all"> = {
  name: "uname",
  options: {
    all: { short: "a", long: "all" },
    kernelName: { short: "s", long: "kernel-name" },
    nodeName: { short: "n", long: "nodename" },
    release: { short: "r", long: "kernel-release" },
    kernelVersion: { short: "v", long: "kernel-version" },
    machine: { short: "m", long: "machine" },
    processor: { short: "p", long: "processor" },
    platform: { short: "i", long: "hardware-platform" },
    system: { short: "o", long: "operating-system" },
  },
  compatibleWith: COREUTILS,
  help: `Usage: uname [OPTION]...
Print facts about the system; without OPTION, as with -s.

  -a, --all                all facts in this order, without -p and -i if unknown
  -s, --kernel-name        -n, --nodename        -r, --kernel-release
  -v, --kernel-version     -m, --machine         -p, --processor
  -i, --hardware-platform  -o, --operating-system
${END_OF_HELP}`,
};

/** `uname` as coreutils has it. */
export const uname: Command = defineCommand("uname", async (args) => {
  const parsed = parseGnuOptions(unameProgram, args);
  if (!parsed.ok) return parsed.result;
  const { operands, given, has } = parsed.args;
  if (operands[0] !== undefined) return usageError(unameProgram, `extra operand ‘${operands[0]}’`);
  const wanted = (Object.keys(UNAME) as Fact[]).filter((fact) =>
    has("all") ? UNAME[fact] !== "unknown" : given.length === 0 ? fact === "kernelName" : has(fact),
  );
  return answer(`${wanted.map((fact) => UNAME[fact]).join(" ")}\n`);
});

const archProgram: GnuProgram<never> = {
  name: "arch",
  options: {},
  compatibleWith: COREUTILS,
  help: `Usage: arch\nPrint the machine's architecture.\n\n${END_OF_HELP}`,
};

export const arch: Command = defineCommand("arch", async (args) => {
  const parsed = parseGnuOptions(archProgram, args);
  if (!parsed.ok) return parsed.result;
  const [extra] = parsed.args.operands;
  return extra === undefined
    ? answer(`${UNAME.machine}\n`)
    : usageError(archProgram, `extra operand ‘${extra}’`);
});

const nprocProgram: GnuProgram<"all" | "ignore"> = {
  name: "nproc",
  options: { all: { long: "all" }, ignore: { long: "ignore", value: "required" } },
  compatibleWith: COREUTILS,
  help: `Usage: nproc [OPTION]...
Print how many commands can run at the same time: one.

      --all       the number of installed processors
      --ignore=N  leave N of them out if possible
${END_OF_HELP}`,
};

/** One: the sandbox runs one command at a time, so more of them at once are no faster. */
export const nproc: Command = defineCommand("nproc", async (args, { exportedEnv }) => {
  const parsed = parseGnuOptions(nprocProgram, args);
  if (!parsed.ok) return parsed.result;
  const { operands, value, has } = parsed.args;
  if (operands[0] !== undefined) return usageError(nprocProgram, `extra operand ‘${operands[0]}’`);
  const ignore = value("ignore") ?? "0";
  if (!/^\d+$/.test(ignore)) return answer("", `nproc: invalid number: ‘${ignore}’\n`);
  const asked = has("all") ? undefined : /^\s*(\d+)/.exec(exportedEnv?.OMP_NUM_THREADS ?? "")?.[1];
  return answer(`${Math.max(1, Number(asked ?? 1) - Number(ignore))}\n`);
});

const FACTS: Readonly<Record<string, string>> = {
  ARG_MAX: "2097152",
  CHAR_BIT: "8",
  CHILD_MAX: "1024",
  GNU_LIBC_VERSION: "glibc 2.36",
  HOST_NAME_MAX: "64",
  INT_MAX: "2147483647",
  LINE_MAX: "2048",
  LONG_BIT: "64",
  NAME_MAX: "255",
  NPROCESSORS_CONF: "1",
  NPROCESSORS_ONLN: "1",
  OPEN_MAX: "1024",
  PAGESIZE: "4096",
  PAGE_SIZE: "4096",
  PATH: "/bin:/usr/bin",
  PATH_MAX: "4096",
  PIPE_BUF: "4096",
  WORD_BIT: "32",
};

const GETCONF_USAGE = "Usage: getconf [-v SPEC] VAR\n  or:  getconf [-v SPEC] PATH_VAR PATH\n";

/** `getconf` for the names that scripts ask for. */
export const getconf: Command = defineCommand("getconf", async (args) => {
  if (args[0] === "--help")
    return answer(
      `${GETCONF_USAGE}\nGet the configuration value for variable VAR, or for variable PATH_VAR\nfor path PATH.\n`,
    );
  if (args[0] === "--version") return answer("getconf (compatible with GNU libc 2.36)\n");
  const [name, , ...rest] = args[0] === "--" ? args.slice(1) : args;
  if (name === undefined || rest.length > 0) return answer("", GETCONF_USAGE, 2);
  const value = FACTS[name.replace(/^_?(?:SC_|POSIX_|CS_)?/, "")];
  return value === undefined
    ? answer("", `getconf: Unrecognized variable \`${name}'\n`, 2)
    : answer(`${value}\n`);
});
