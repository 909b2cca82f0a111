import { type Command, defineCommand, latin1FromBytes } from "just-bash";
import { quote } from "../../../shared/quote.ts";

/** `nohup`: runs the command; nothing hangs up here, and output that goes to no terminal stays where it is. */
export const nohup: Command = defineCommand("nohup", async (args, ctx) => {
  const [name, ...rest] = args[0] === "--" ? args.slice(1) : args;
  if (name === undefined) {
    const stderr = "nohup: missing operand\nTry 'nohup --help' for more information.\n";
    return { stdout: "", stderr, exitCode: 125 };
  }
  if (name === "--help") {
    const stdout =
      "Usage: nohup COMMAND [ARG]...\n  or:  nohup OPTION\nRun COMMAND, ignoring hangup signals.\n";
    return { stdout, stderr: "", exitCode: 0 };
  }
  if (name === "--version")
    return { stdout: "nohup (compatible with GNU coreutils 9.1)\n", stderr: "", exitCode: 0 };
  if (ctx.exec === undefined) return { stdout: "", stderr: "nohup: no commands run here\n", exitCode: 126 };
  return ctx.exec(quote(name), {
    cwd: ctx.cwd,
    stdin: latin1FromBytes(ctx.stdin),
    stdinKind: "bytes",
    args: rest,
    ...(ctx.signal === undefined ? {} : { signal: ctx.signal }),
  });
});
