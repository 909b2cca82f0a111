import { type Command, defineCommand, type ExecResult, type IFileSystem } from "just-bash";

/**
 * `tee`, `chmod` and `sed -i` of the engine say «No such file or directory» whatever went wrong. These ask the
 * file system again, by a change that changes nothing, and say what it says.
 */
export const trueReasonCommands: Command[] = [
  withTrueReason(
    "tee",
    (fs, path) => fs.appendFile(path, ""),
    (shown, why) => `tee: ${shown}: ${why}`,
  ),
  withTrueReason(
    "sed",
    (fs, path) => fs.appendFile(path, ""),
    (shown, why) => `sed: ${shown}: ${why}`,
  ),
  withTrueReason(
    "chmod",
    async (fs, path) => fs.chmod(path, (await fs.stat(path)).mode),
    (shown, why) => `chmod: changing permissions of '${shown}': ${why}`,
  ),
];

function withTrueReason(
  name: string,
  tryAgain: (fs: IFileSystem, path: string) => Promise<void>,
  say: (shown: string, why: string) => string,
): Command {
  const claim = new RegExp(`^${name}: (?:cannot access )?'?(.+?)'?: No such file or directory$`);
  return defineCommand(name, async (args, ctx) => {
    const result: ExecResult = (await ctx.origCommand?.(args)) ?? { stdout: "", stderr: "", exitCode: 127 };
    if (!result.stderr.includes("No such file")) return result;
    const lines = result.stderr.split("\n").map(async (line) => {
      const shown = claim.exec(line)?.[1];
      if (shown === undefined) return line;
      const path = ctx.fs.resolvePath(ctx.cwd, shown);
      // What is not there is left to the engine's word: trying again would create it.
      if (!(await ctx.fs.exists(path)) && !(await isWritableOnlyInName(ctx.fs, path))) return line;
      const why = await tryAgain(ctx.fs, path).then(() => null, reasonOf);
      return why === null ? line : say(shown, why);
    });
    return { ...result, stderr: (await Promise.all(lines)).join("\n") };
  });
}

/** A new file in a directory that is there: the attempt fails before it creates anything, as it did before. */
async function isWritableOnlyInName(fs: IFileSystem, path: string): Promise<boolean> {
  return fs.exists(path.slice(0, path.lastIndexOf("/")) || "/");
}

function reasonOf(error: unknown): string | null {
  const message = error instanceof Error ? error.message : String(error);
  return /^E[A-Z]+:/.test(message) ? null : message;
}
