/** The probe as plain code in this process, which has no wall: an attempt that can be made gets through. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../../build/paths.ts";
import type { ProbeTask } from "../../../src/protocol/probe-task.ts";
import { selfProbe } from "../../../src/worker/self-probe.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

function task(more: Partial<ProbeTask> = {}): ProbeTask {
  return {
    claimed: true,
    network: false,
    parentPid: process.pid,
    outsideFile: join(root, "package.json"),
    port: null,
    scratch: tempDir(),
    ...more,
  };
}

async function states(platform: string, more: Partial<ProbeTask> = {}): Promise<Record<string, string>> {
  const walls = await selfProbe(task(more), platform);
  return Object.fromEntries(
    walls.map(({ name, state }) => [name.replace(" against an escaped guest", ""), state]),
  );
}

describe.each(["darwin", "win32"])("on %s", (platform) => {
  test("walls around /proc are not claimed, with the reason", async () => {
    const walls = await selfProbe(task(), platform);
    const about = walls.filter(({ name }) => /^environment of (?:the parent|process 1) /.test(name));
    expect(about.map(({ state, reason }) => [state, reason])).toEqual([
      ["not-claimed", `there is no /proc on ${platform}`],
      ["not-claimed", `there is no /proc on ${platform}`],
    ]);
  });

  test("every other wall is tried as everywhere, and without one the attempt gets through", async () => {
    expect(await states(platform)).toMatchObject({
      "host files outside the mounts": "open",
      "host files through a link in a mount": "open",
      "other programs": "open",
      "threads without these walls": "open",
      "signals to the parent": "open",
    });
  });

  test("what there is nothing to try with is not claimed", async () => {
    expect(await states(platform, { outsideFile: null, scratch: null })).toMatchObject({
      "host files outside the mounts": "not-claimed",
      "host files through a link in a mount": "not-claimed",
      network: "not-claimed",
    });
  });

  test("a rung that claims nothing says so of every wall but its own environment", async () => {
    const { "environment of the worker": own, ...others } = await states(platform, { claimed: false });
    expect(own).toBe("open");
    expect(new Set(Object.values(others))).toEqual(new Set(["not-claimed"]));
  });
});

test.runIf(process.platform === "linux")(
  "on Linux they are tried, and open where nothing stands",
  async () => {
    expect(await states("linux")).toMatchObject({ "environment of the parent": "open" });
  },
);
