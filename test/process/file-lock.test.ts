/** The file lock between real processes, some of which are killed while they have it or are about to get it. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const TURNS = 60;

function buildWorker(folder: string): string {
  const program = join(folder, "lock-worker.mjs");
  buildSync({
    entryPoints: [join(root, "test/fixtures/storage/lock-worker.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
  });
  return program;
}

test.each([2, 4])(
  "%i processes never hold a lock at once, although every other one is killed",
  async (count) => {
    const folder = tempDir();
    const program = buildWorker(folder);
    const locks = join(folder, "locks");
    const room = join(folder, "room");
    mkdirSync(locks);
    const breaches: string[] = [];
    let turns = 0;
    let kills = 0;
    const live = new Set<ChildProcess>();
    const run = async (): Promise<void> => {
      while (turns < TURNS) {
        const child = spawn(process.execPath, [program, join(locks, "lock"), room, "1000"], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        live.add(child);
        // Every other one dies with the lock in its hands, the rest at any moment once there were enough turns.
        const dies = ++kills % 2 === 0 ? 3 : Number.POSITIVE_INFINITY;
        let mine = 0;
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          for (const line of text.trim().split("\n")) {
            if (line !== "in") breaches.push(line);
            turns++;
            if (++mine >= dies) child.kill("SIGKILL");
          }
          if (turns >= TURNS) for (const one of live) one.kill("SIGKILL");
        });
        await once(child, "close");
        live.delete(child);
      }
    };
    await Promise.all(Array.from({ length: count }, run));
    expect(breaches).toEqual([]);
    expect(kills).toBeGreaterThan(count);
    // The last dead owner's lock, and what the killed ones were about to link.
    expect(readdirSync(locks).length).toBeLessThan(2 + 2 * count);
  },
);

test("where a lock cannot be written nothing is left of it", () => {
  const folder = tempDir();
  const program = buildWorker(folder);
  const locks = join(folder, "locks");
  mkdirSync(locks);
  // Files may be made, and take no byte: as on a full disk.
  const command = ["-c", 'ulimit -f 0; exec "$@"', "sh", process.execPath, program, join(locks, "lock")];
  const { status, stderr } = spawnSync("sh", command, { encoding: "utf8" });
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("EFBIG") });
  expect(readdirSync(locks)).toEqual([]);
});
