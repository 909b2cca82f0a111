import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Path below a folder → bytes, each as one character, of every file. */
export function contentsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(
    paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "latin1")]),
  );
}
