import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** All that can be told of a tree on the host, as one text: names, kinds, modes, times, content. */
export function digestTree(directory: string): string {
  const hash = createHash("sha256");
  const add = (path: string): void => {
    const stats = lstatSync(path);
    const times = stats.isDirectory() ? "" : stats.mtimeMs;
    hash.update(`${path.slice(directory.length)}\0${stats.mode}\0${stats.ino}\0${times}\0`);
    if (stats.isSymbolicLink()) hash.update(readlinkSync(path));
    else if (stats.isFile()) hash.update(readFileSync(path));
    else if (stats.isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
  };
  add(directory);
  return hash.digest("hex");
}
