/**
 * Makes `dist/`: `tsx build/build.ts [--if-stale]`. With `--if-stale` it does nothing when `dist/` already is
 * what these sources give. Two builds of the same sources are equal byte for byte.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { computeBuildId } from "./build-id.ts";
import { withBuildLock } from "./build-lock.ts";
import { bundleLibrary } from "./bundle-library.ts";
import { bundleWorker } from "./bundle-worker.ts";
import { emitTypes } from "./emit-types.ts";
import { installSize } from "./install-size.ts";
import { root } from "./paths.ts";
import { syncFolder } from "./sync-folder.ts";
import { thirdPartyLicenses } from "./third-party-licenses.ts";

/** Builds into `dist/`; with `ifStale`, only when the sources have changed. Says whether it built. */
export async function buildAll({ ifStale }: { ifStale: boolean }): Promise<boolean> {
  return withBuildLock(async () => {
    const dist = join(root, "dist");
    const buildId = computeBuildId();
    const stamp = join(dist, ".stamp");
    if (ifStale && existsSync(stamp) && readFileSync(stamp, "utf8") === buildId) return false;

    // Built aside, so that a failed build leaves the last good one, and running workers keep their chunks.
    const fresh = mkdtempSync(join(root, ".cache", "build-"));
    try {
      const inputs = await bundleWorker(join(fresh, "worker"), buildId);
      inputs.push(...(await bundleLibrary(fresh, buildId)));
      emitTypes(join(fresh, "types"));
      writeFileSync(join(fresh, "THIRD_PARTY_LICENSES.md"), thirdPartyLicenses(inputs));
      rmSync(stamp, { force: true });
      syncFolder(fresh, dist);
      writeFileSync(stamp, buildId);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
    return true;
  });
}

if (process.argv[1] === import.meta.filename) {
  const startedMs = performance.now();
  const built = await buildAll({ ifStale: process.argv.includes("--if-stale") });
  // Not on standard output, which is the packed file's name under `npm pack --silent`.
  if (built) console.error(`built dist/ in ${Math.round(performance.now() - startedMs)} ms`);
  if (built) console.error(installSize());
}
