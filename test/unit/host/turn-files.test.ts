/** Files and directories that the host makes for a turn where scripts write as well. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostForTest, scriptedSandbox } from "../../helpers/hosts.ts";

test("artifacts get names of their own, and nothing that scripts left is overwritten or followed", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const session = await host.createSession();
  const outside = join(host.dataDir, "outside.txt");
  symlinkSync(outside, join(session.artifactsDir, "link.txt"));
  writeFileSync(join(session.artifactsDir, "taken.txt"), "theirs");
  await using turn = await host.prepareTurn({ session });
  const names: Record<string, string> = {
    "taken.txt": "/artifacts/taken-2.txt",
    "link.txt": "/artifacts/link-2.txt",
    "../../etc/passwd": "/artifacts/passwd",
    "C:\\temp\\a.txt": "/artifacts/a.txt",
    ".hidden": "/artifacts/hidden",
    "-rf": "/artifacts/_rf",
    "...": "/artifacts/artifact",
    "a\0b\n.txt": "/artifacts/a_b_.txt",
    "nul.txt": "/artifacts/_nul.txt",
    "Ergebnis für Ä.csv": "/artifacts/Ergebnis für Ä.csv",
  };
  for (const [name, path] of Object.entries(names)) {
    expect(await turn.artifact(name, "ours")).toEqual({ path, sizeBytes: 4 });
    expect(readFileSync(join(session.artifactsDir, path.slice("/artifacts/".length)), "utf8")).toBe("ours");
  }
  expect(existsSync(outside)).toBe(false);
  expect(readFileSync(join(session.artifactsDir, "taken.txt"), "utf8")).toBe("theirs");
  const many = await Promise.all(
    Array.from({ length: 20 }, () => turn.artifact(`${"é".repeat(300)}.log`, Uint8Array.of(1))),
  );
  expect(new Set(many.map(({ path }) => path)).size).toBe(20);
  for (const { path } of many) expect(Buffer.byteLength(path)).toBeLessThan(255);
  await expect(turn.artifact("", "x")).rejects.toMatchObject({ code: "OPTION_INVALID" });
  await expect(turn.artifact("x", 1 as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
});

test("persistent directories are made on demand, and those that are ro reach the factory as prefixes", async () => {
  let prefixes: readonly string[] | undefined;
  const host = hostForTest({
    sandbox: async (options) => {
      prefixes = options.getReadOnlyPrefixes?.();
      return await scriptedSandbox()(options);
    },
  });
  await using turn = await host.prepareTurn({
    persistentDirs: [
      { name: "notes", access: "rw" },
      { name: "rules", access: "ro" },
    ],
  });
  await turn.sandbox();
  expect(prefixes).toEqual(["/persistent/rules"]);
  expect(readdirSync(join(host.dataDir, "persistent")).sort()).toEqual(["notes", "rules"]);
});

test("a link that a script left where a persistent directory should be is refused, and the session is free", async () => {
  const host = hostForTest({ sandbox: scriptedSandbox() });
  const session = await host.createSession();
  const outside = join(host.dataDir, "outside");
  mkdirSync(outside);
  symlinkSync(outside, join(session.persistentDir, "notes"));
  await expect(
    host.prepareTurn({ session, persistentDirs: [{ name: "notes", access: "rw" }] }),
  ).rejects.toMatchObject({ code: "OPTION_INVALID", data: { name: "notes" } });
  await (await host.prepareTurn({ session })).dispose();
});
