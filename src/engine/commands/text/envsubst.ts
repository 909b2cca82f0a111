import { type Command, defineCommand, latin1FromBytes } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";

const program: GnuProgram<"variables"> = {
  name: "envsubst",
  options: { variables: { short: "v", long: "variables" } },
  compatibleWith: "GNU gettext 0.21",
  help: `Usage: envsubst [OPTION] [SHELL-FORMAT]
Substitutes the values of environment variables.

  -v, --variables             output the variables occurring in SHELL-FORMAT
      --help                  display this help and exit
      --version               output version information and exit

References like $VARIABLE or \${VARIABLE} in standard input are replaced. If a SHELL-FORMAT is given, only
those variables that are referenced in it are.
`,
};

const REFERENCE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g;

/** `envsubst` as gettext has it: `$NAME` and `${NAME}` of standard input become the values of exported variables. */
export const envsubst: Command = defineCommand("envsubst", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const [format, extra] = parsed.args.operands;
  if (extra !== undefined) return usageError(program, "too many arguments");
  const named = format === undefined ? null : namesIn(format);
  if (parsed.args.has("variables")) {
    if (named === null) return usageError(program, "missing arguments");
    return { stdout: named.map((name) => `${name}\n`).join(""), stderr: "", exitCode: 0 };
  }
  const exported = ctx.exportedEnv ?? {};
  const stdout = latin1FromBytes(ctx.stdin).replace(REFERENCE, (whole, plain?: string, braced?: string) => {
    const name = plain ?? braced ?? "";
    if (named !== null && !named.includes(name)) return whole;
    return Buffer.from(exported[name] ?? "").toString("latin1");
  });
  return { stdout, stdoutKind: "bytes", stderr: "", exitCode: 0 };
});

function namesIn(format: string): string[] {
  return [...format.matchAll(REFERENCE)].map(([, plain, braced]) => plain ?? braced ?? "");
}
