/** What is said on systems that these tests do not run on: a wall that is not there never «holds». */
import { expect, test } from "vitest";
import { tryJail } from "../../../../src/parent/isolation/bubblewrap.ts";
import { inspectorWall } from "../../../../src/parent/isolation/guard-inspector.ts";

test.each(["darwin", "win32", "freebsd"])(
  "there is no jail on %s, and the reason says so",
  async (platform) => {
    expect(await tryJail(process.execPath, undefined, platform)).toEqual({
      unavailable: `there is no bubblewrap for ${platform}`,
    });
  },
);

test("on Windows the parent's inspector is not claimed: a thread opens it there, and no signal", () => {
  const listener = (): void => undefined;
  process.on("SIGUSR1", listener);
  try {
    expect(inspectorWall("win32")).toMatchObject({ state: "not-claimed" });
    expect(inspectorWall("win32").reason).toContain("Windows");
  } finally {
    process.off("SIGUSR1", listener);
  }
});
