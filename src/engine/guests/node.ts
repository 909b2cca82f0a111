/** `node`: what scripts ask of it is done by `js-exec`, as far as that goes. */
import { type Command, decodeBytesToUtf8, defineCommand, type ExecResult } from "just-bash";
import { quote } from "../../shared/quote.ts";

const HELP = `Usage: node [options] [ script.js | - ] [arguments]
       node -e SCRIPT [arguments]

This node is js-exec: JavaScript and TypeScript without a network, processes and native addons.

  -e, --eval SCRIPT     evaluate SCRIPT
  -p, --print SCRIPT    print the value of SCRIPT, one expression
  -c, --check           refused
  -i, --interactive     refused
      --input-type=TYPE "module" or "commonjs" for SCRIPT and standard input
  -v, --version         print the version whose functions js-exec has
  -h, --help            print this text
See also: js-exec --help
`;

/** Options that change nothing here. */
const WITHOUT_EFFECT =
  /^--(?:no-warnings|trace-\S*|enable-source-maps|experimental-\S*|disable-warning=\S*|stack-trace-limit=\S*|max-old-space-size=\S*|unhandled-rejections=\S*|no-deprecation)$/;

export const node: Command = defineCommand("node", async (args, ctx): Promise<ExecResult> => {
  const refuse = (why: string): ExecResult => ({ stdout: "", stderr: `node: ${why}\n`, exitCode: 9 });
  if (ctx.exec === undefined) return refuse("the shell runs no commands here");
  let isModule = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "-h" || arg === "--help") return { stdout: HELP, stderr: "", exitCode: 0 };
    if (arg === "-v" || arg === "--version") return runJavaScript(["-c", "console.log(process.version)"]);
    const [, name, attached] = /^(-e|--eval|-p|--print|-pe)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name !== undefined) {
      const code = attached ?? args[++at];
      if (code === undefined) return refuse(`${arg} requires an argument`);
      const printed =
        name.startsWith("-p") || name === "--print" ? `console.log(${code.replace(/;\s*$/, "")}\n)` : code;
      return runJavaScript([
        ...(isModule ? ["-m"] : []),
        "-c",
        printed,
        ...args.slice(at + 1).filter((one, index) => index > 0 || one !== "--"),
      ]);
    }
    const type = /^--input-type(?:=(.*))?$/.exec(arg);
    if (type !== null) isModule = (type[1] ?? args[++at]) === "module";
    else if (arg === "--") {
      at++;
      break;
    } else if (!arg.startsWith("-") || arg === "-") break;
    else if (!WITHOUT_EFFECT.test(arg))
      return refuse(`bad option: ${arg}\nnode is js-exec here; see node --help`);
  }
  const [script, ...rest] = args.slice(at);
  if (script !== undefined && script !== "-") {
    const path = ctx.fs.resolvePath(ctx.cwd, script);
    if (!(await ctx.fs.exists(path)))
      return { stdout: "", stderr: `Error: Cannot find module '${path}'\n`, exitCode: 1 };
  }
  return runJavaScript([
    ...(isModule ? ["-m"] : []),
    ...(script === undefined || script === "-" ? [] : [script, ...rest]),
  ]);

  function runJavaScript(given: string[]): Promise<ExecResult> {
    const options = { cwd: ctx.cwd, args: given, stdin: decodeBytesToUtf8(ctx.stdin) };
    return ctx.exec?.(quote("js-exec"), options) ?? Promise.resolve(refuse("no shell"));
  }
});
