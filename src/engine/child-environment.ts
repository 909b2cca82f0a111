/**
 * The environment of a command that another one runs (`find -exec`, `timeout`, `xargs`).
 * Called from the engine's own text (`build/engine-faults/bytes.ts`).
 */
import type { CommandContext } from "just-bash";

type RunOptions = Parameters<NonNullable<CommandContext["exec"]>>[1];

/** The options with the exported variables as environment, unless they name one. The directory's own stay behind. */
export function withEnvironment(
  options: RunOptions,
  exported: Readonly<Record<string, string>> | undefined,
): RunOptions {
  if (options.env !== undefined || exported === undefined) return options;
  const { PWD: _, OLDPWD: __, ...env } = exported;
  return { ...options, env };
}
