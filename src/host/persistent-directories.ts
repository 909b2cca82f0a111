/** Named directories below `/persistent`, as a turn wants them. */
import { lstat, mkdir } from "node:fs/promises";
import nodePath from "node:path";
import { invalidOption } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";
import { joinVirtualPath } from "../shared/virtual-path.ts";
import { codeOf } from "../storage/error-code.ts";
import type { PersistentDirectory } from "./host.ts";
import { checkKeys, storeFailed } from "./host-errors.ts";
import { isSafeName, SAFE_NAME_RULE } from "./safe-name.ts";

/** Throws `OPTION_INVALID`; touches no disk. */
export function checkPersistentDirectories(input: unknown): readonly PersistentDirectory[] {
  if (input === undefined) return [];
  if (!Array.isArray(input)) throw invalidOption("persistentDirs", "a list of { name, access }");
  const names = new Set<string>();
  for (const [index, item] of (input as unknown[]).entries()) {
    const at = `persistentDirs[${index}]`;
    checkKeys(at, item, ["name", "access"]);
    const { name, access } = item as Record<string, unknown>;
    if (!isSafeName(name)) throw invalidOption(`${at}.name`, SAFE_NAME_RULE);
    if (names.has(name))
      throw invalidOption(`${at}.name`, `a name that is there once, and not "${name}" again`);
    if (access !== "rw" && access !== "ro") throw invalidOption(`${at}.access`, '"rw" or "ro"');
    names.add(name);
  }
  return input as PersistentDirectory[];
}

/**
 * Makes what is missing. Scripts write in that place too: what one of them put there under such a name, a link out of
 * the data directory above all, is refused and never followed.
 *
 * @returns the paths inside that are read-only
 */
export async function makePersistentDirectories(
  persistent: string,
  wanted: readonly PersistentDirectory[],
): Promise<readonly string[]> {
  for (const { name } of wanted) {
    const path = nodePath.join(persistent, name);
    try {
      await mkdir(path, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw storeFailed(`"/persistent/${name}" could not be made`, error);
      const info = await lstat(path).catch(() => undefined); // gone meanwhile: told as no directory
      if (info?.isDirectory() === true) continue;
      throw new SandboxError(
        "OPTION_INVALID",
        `Option "persistentDirs" names "${name}", but "/persistent/${name}" is there and is no directory.`,
        { option: "persistentDirs", name },
      );
    }
  }
  return wanted
    .filter(({ access }) => access === "ro")
    .map(({ name }) => joinVirtualPath("/persistent", name));
}
