/**
 * Asks a worker to run into its own walls, with something real behind each: a file that can be read, a port where
 * somebody listens. The worker's answer is its word and no more; a connection that arrives is seen here.
 */
import { accessSync, constants, realpathSync } from "node:fs";
import type { ProbeTask } from "../../protocol/probe-task.ts";
import { isAtOrBelow } from "../host-paths.ts";
import type { Wall } from "../walls.ts";
import { filterWall } from "./filter-wall.ts";
import { inspectorWall } from "./guard-inspector.ts";
import type { Launch } from "./launch.ts";
import { listen } from "./probe-listener.ts";

/** `workerPid` is asked once the worker has answered; `ask` hands the task to the worker and resolves to what it says. */
export async function probeWalls(
  launch: Launch,
  mounts: readonly { readonly path: string; readonly backingPath: string }[],
  network: boolean,
  workerPid: () => number,
  ask: (task: ProbeTask) => Promise<Wall[]>,
): Promise<Wall[]> {
  const claimed = launch.rung !== "process";
  const listener = claimed && !network ? await listen() : null;
  try {
    const scratchIndex = mounts.findIndex(({ path }) => path === "/tmp");
    const walls = await ask({
      claimed,
      network,
      parentPid: process.pid,
      outsideFile: claimed ? findOutside(mounts.map(({ backingPath }) => backingPath)) : null,
      port: listener?.port ?? null,
      scratch: launch.backingPaths[scratchIndex] ?? null,
    });
    const arrived = listener?.hasConnected() === true;
    return [
      ...walls.map(
        (wall): Wall =>
          arrived && wall.name.startsWith("network")
            ? { ...wall, state: "open", reason: "a connection of it arrived" }
            : wall,
      ),
      filterWall(launch, workerPid()),
      inspectorWall(),
    ];
  } finally {
    listener?.close();
  }
}

/** A file that exists on every host and that no mount shows. */
function findOutside(mounts: readonly string[]): string | null {
  const files = ["/etc/passwd", process.execPath].flatMap((path) => {
    try {
      accessSync(path, constants.R_OK);
      return [realpathSync(path)];
    } catch {
      // Not on this host.
      return [];
    }
  });
  return files.find((path) => !mounts.some((mount) => isAtOrBelow(path, mount))) ?? null;
}
