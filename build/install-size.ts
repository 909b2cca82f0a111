/** What the package puts on the disk of whoever installs it. The exact numbers of the tarball: test/package/pack.test.ts. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.ts";
import { SIZE_CEILINGS } from "./size-ceilings.ts";

/** Scripts of package.json that npm runs where the package is installed. */
export const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall"];

/** One line for the end of a build. Throws when a ceiling is reached. */
export function installSize(): string {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, object>;
  // An optional peer is there when whoever uses the package has chosen it.
  const optional = Object.keys(manifest.peerDependenciesMeta ?? {});
  const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
    (name) => !optional.includes(name),
  ).length;
  const scripts = INSTALL_SCRIPTS.filter((name) => name in (manifest.scripts ?? {})).length;
  const files = readdirSync(join(root, "dist"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).size);
  const bytes = files.reduce((sum, size) => sum + size, 0);
  if (bytes > SIZE_CEILINGS.unpacked) throw new Error(`dist/ has ${bytes} bytes, above its ceiling.`);
  if (dependencies > SIZE_CEILINGS.dependencies) throw new Error(`${dependencies} dependencies.`);
  const megabytes = (bytes / 1_000_000).toFixed(1);
  return `installs ${files.length} files, ${megabytes} MB, ${dependencies} dependencies, ${scripts} install scripts`;
}
