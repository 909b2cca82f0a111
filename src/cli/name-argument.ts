/** An error of `openSandbox` in the words of the command line. */
import { nameOption } from "../sandbox/name-option.ts";
import type { MountArgument } from "./option-values.ts";

/** The error with `--mount` as it was typed, or `--cwd`, where it names that option; any other as it is. */
export function nameArgument(error: unknown, mounts: readonly MountArgument[]): unknown {
  return nameOption(error, (place) => {
    if (place === "cwd") return "--cwd";
    const mount = mounts.find(({ path }) => place.startsWith(`mounts["${path}"]`));
    return mount === undefined ? undefined : `--mount ${mount.text}`;
  });
}
