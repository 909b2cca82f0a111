import { type Command, defineCommand, type ExecResult } from "just-bash";
import { errnoText } from "../../workspace/shell-error.ts";
import { failureAt, lastFailure } from "../fs-errors.ts";

type Say = (shown: string, why: string) => string;

/**
 * Commands of the engine that say «No such file or directory» whatever went wrong, or nothing at all. These look
 * up what the file system said of the path, and say that.
 */
export const trueReasonCommands: Command[] = [
  withTrueReason("tee", (shown, why) => `tee: ${shown}: ${why}`),
  defineCommand("split", async (args, ctx) => {
    const before = lastFailure();
    const result: ExecResult = (await ctx.origCommand?.(args)) ?? { stdout: "", stderr: "", exitCode: 127 };
    const failure = lastFailure();
    if (failure === before || failure === undefined) return result;
    const why = `failed to write output: ${errnoText(failure.errno)}`;
    return { ...result, stderr: result.stderr.replace("failed to write output", why) };
  }),
];

function withTrueReason(name: string, say: Say): Command {
  const claim = new RegExp(`^${name}: (?:cannot access )?'?(.+?)'?: No such file or directory$`);
  return defineCommand(name, async (args, ctx) => {
    const result: ExecResult = (await ctx.origCommand?.(args)) ?? { stdout: "", stderr: "", exitCode: 127 };
    if (!result.stderr.includes("No such file")) return result;
    const lines = result.stderr.split("\n").map((line) => {
      const shown = claim.exec(line)?.[1];
      if (shown === undefined) return line;
      const errno = failureAt(ctx.fs.resolvePath(ctx.cwd, shown));
      return errno === undefined || errno === "ENOENT" ? line : say(shown, errnoText(errno));
    });
    return { ...result, stderr: lines.join("\n") };
  });
}
