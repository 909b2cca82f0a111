/** The directory of compiled code in a jail: shown where a mount shows it, and never to be written. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { findWorker } from "../../src/parent/find-worker.ts";
import { namespaceLaunch } from "../../src/parent/isolation/namespace.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("a jail binds it read-only over the mount that shows it, as it does a mount that lies in it", async (context) => {
  const home = tempDir();
  const cache = join(home, "cache", "little-harness");
  mkdirSync(join(cache, "inside"), { recursive: true });
  vi.stubEnv("XDG_CACHE_HOME", join(home, "cache"));
  const launch = await namespaceLaunch({
    workerFile: findWorker(null),
    nodePath: process.execPath,
    ownNode: true,
    execArgv: [],
    env: {},
    mounts: [
      { backingPath: home, access: "rw" },
      { backingPath: join(cache, "inside"), access: "rw" },
      { backingPath: tempDir(), access: "rw" },
    ],
    network: false,
  });
  vi.unstubAllEnvs();
  if ("unavailable" in launch) return context.skip(launch.unavailable);
  const words = new TextDecoder().decode(launch.inputs[0]).split("\0");
  const binds = words.flatMap((word, at) =>
    word.endsWith("bind") ? [words.slice(at, at + 3).join(" ")] : [],
  );
  const last = binds.slice(-5);
  expect(last.slice(0, 2)).toEqual([`--bind ${home} /m/0`, `--bind ${cache}/inside /m/1`]);
  expect(last.slice(3)).toEqual([
    `--ro-bind ${cache} /m/0/cache/little-harness`,
    `--ro-bind ${cache}/inside /m/1`,
  ]);
});
