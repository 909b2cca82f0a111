/** Other versions of Node.js, from the npm registry, in `.cache/nodes`. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../build/paths.ts";

/** The floor, and the newest of each later line that is supported. */
const VERSIONS = ["20.18.1", "22", "24", "26"] as const;

/** One Node.js beside the one that runs. */
export interface OtherNode {
  /** As asked for: `22` is some release of that line. */
  readonly asked: string;
  readonly path: string;
}

const platform = process.platform === "win32" ? "win" : process.platform;
const packageName = `node-${platform}-${process.arch}`;

function pathOf(asked: string): string {
  const file = process.platform === "win32" ? "bin/node.exe" : "bin/node";
  return join(root, ".cache/nodes", asked, "node_modules", packageName, file);
}

/** Those that are there. */
export function installedNodes(): OtherNode[] {
  return VERSIONS.map((asked) => ({ asked, path: pathOf(asked) })).filter(({ path }) => existsSync(path));
}

/** Fetches what is not there. Throws with npm's words when it cannot. */
export function installNodes(): OtherNode[] {
  for (const asked of VERSIONS) {
    if (existsSync(pathOf(asked))) continue;
    const folder = join(root, ".cache/nodes", asked);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const wanted = `${packageName}@${asked}`;
    const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", wanted];
    execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  }
  return installedNodes();
}

if (process.argv[1] === import.meta.filename) installNodes();
