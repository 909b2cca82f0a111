import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../build/paths.ts";

/** The package as a user gets it: packed by npm, unpacked where a program would find it. */
export interface PackedPackage {
  /** A directory in which `import "@little-stack/harness"` works, with nothing else installed. */
  readonly project: string;
  /** Where the package lies in it. */
  readonly folder: string;
  /** Paths in the package, sorted. */
  readonly files: readonly string[];
  readonly tarballBytes: number;
  readonly unpackedBytes: number;
  remove(): void;
}

/** Packs and installs without the network. */
export function packPackage(): PackedPackage {
  const project = mkdtempSync(join(tmpdir(), "packed-"));
  const output = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const packed = firstReport(JSON.parse(output));
  const folder = join(project, "node_modules/@little-stack/harness");
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["xzf", join(project, packed.filename), "--strip-components=1", "-C", folder]);
  return {
    project,
    folder,
    files: packed.files.map(({ path }) => path).sort(),
    tarballBytes: packed.size,
    unpackedBytes: packed.unpackedSize,
    remove: () => rmSync(project, { recursive: true, force: true }),
  };
}

interface PackReport {
  filename: string;
  size: number;
  unpackedSize: number;
  files: { path: string }[];
}

// An array up to npm 11, an object by package name later.
function firstReport(json: PackReport[] | Record<string, PackReport>): PackReport {
  const [report] = Object.values(json);
  if (report === undefined) throw new Error("npm pack reported nothing.");
  return report;
}
