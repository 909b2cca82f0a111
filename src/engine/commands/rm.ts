import { type Command, defineCommand, type ExecResult } from "just-bash";

/**
 * `rm -f` that says what it could not remove: the engine's own takes `-f` as leave to fail in silence, and a
 * script that clears a read-only directory goes on as if it had.
 */
export const rm: Command = defineCommand("rm", async (args, ctx) => {
  const result: ExecResult = (await ctx.origCommand?.(args)) ?? { stdout: "", stderr: "", exitCode: 127 };
  const { forced, recursive, operands } = readArguments(args);
  if (!forced || result.exitCode !== 0) return result;
  let stderr = result.stderr;
  for (const operand of operands) {
    const path = ctx.fs.resolvePath(ctx.cwd, operand);
    const there = await ctx.fs.lstat(path).catch(() => null);
    if (there === null) continue;
    const why =
      there.isDirectory && !recursive
        ? "Is a directory"
        : await ctx.fs.rm(path, { recursive }).then(() => null, textOf);
    if (why !== null) stderr += `rm: cannot remove '${operand}': ${why}\n`;
  }
  return { ...result, stderr, exitCode: stderr === result.stderr ? 0 : 1 };
});

function readArguments(args: readonly string[]): { forced: boolean; recursive: boolean; operands: string[] } {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const options = before.filter((arg) => arg.startsWith("-") && arg !== "-");
  const has = (letters: RegExp, long: string): boolean =>
    options.some((option) => option === long || (!option.startsWith("--") && letters.test(option)));
  const operands = before.filter((arg) => !options.includes(arg));
  return {
    forced: has(/f/, "--force"),
    recursive: has(/[rR]/, "--recursive"),
    operands: end < 0 ? operands : [...operands, ...args.slice(end + 1)],
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
