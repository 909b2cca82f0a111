/** Where compiled code is kept when the caller does not say. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

const NAME = "little-harness";

/** The directory of this user for what can be made again, as the system has it; `null` when there is none. */
export function defaultCodeCacheDirectory(
  platform: string = process.platform,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homedir(),
): string | null {
  const base = {
    darwin: join(home, "Library", "Caches"),
    win32: environment.LOCALAPPDATA ?? "",
  }[platform];
  const xdg = environment.XDG_CACHE_HOME ?? "";
  const directory = base ?? (isAbsolute(xdg) ? xdg : join(home, ".cache"));
  return isAbsolute(directory) ? join(directory, NAME) : null;
}
