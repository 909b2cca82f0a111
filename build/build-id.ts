/**
 * What a build is made from, as one hash. Parent and worker carry it and refuse each other when it differs;
 * `--if-stale` and the test runner compare it too. It depends on content only: not on time, machine or path.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.ts";

const INPUT_FOLDERS = ["src", "build"];
const INPUT_FILES = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];

/** Hash of all inputs of the build: first 16 hexadecimal digits of a SHA-256. */
export function computeBuildId(): string {
  const hash = createHash("sha256");
  for (const path of [...INPUT_FOLDERS.flatMap(filesUnder), ...INPUT_FILES]) {
    const bytes = readFileSync(join(root, path));
    // Both lengths are hashed too, so that no two sets of files share one byte stream.
    hash.update(`${path.length}:${path}:${bytes.length}:`).update(bytes);
  }
  return hash.digest("hex").slice(0, 16);
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
}
