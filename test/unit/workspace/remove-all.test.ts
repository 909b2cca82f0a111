import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeAllSync } from "../../../src/workspace/remove-all.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** Deeper than a path of Linux may be long, in two steps that are not: `mkdir` for each would take seconds. */
const NEST =
  "p=$(printf 'abcdefghijklmnopqrst/%.0s' {1..190}); for i in 1 2; do mkdir -p $p && cd -P $p || exit; done; echo x > deep";

test("directories nested deeper than a path may be long are removed, and nothing that a link names", () => {
  const outside = tempDir();
  writeFileSync(join(outside, "kept"), "kept");
  const root = join(tempDir(), "root");
  mkdirSync(root);
  symlinkSync(outside, join(root, "link"));
  expect(spawnSync("bash", ["-c", NEST], { cwd: root }).status).toBe(0);
  expect(() => rmSync(root, { recursive: true })).toThrow(/ENAMETOOLONG/);
  removeAllSync(root);
  expect(existsSync(root)).toBe(false);
  expect(readFileSync(join(outside, "kept"), "utf8")).toBe("kept");
});

test.skipIf(process.getuid?.() !== 0)(
  "directories closed to their own user are removed (tried as root only)",
  () => {
    const root = join(tempDir(), "root");
    const program = `
    import { chmodSync, mkdirSync } from "node:fs";
    import { removeAllSync } from ${JSON.stringify(join(import.meta.dirname, "../../../src/workspace/remove-all.ts"))};
    process.setgid(65534); process.setuid(65534);
    mkdirSync(process.argv[1] + "/z/y", { recursive: true });
    chmodSync(process.argv[1] + "/z/y", 0); chmodSync(process.argv[1] + "/z", 0);
    removeAllSync(process.argv[1]);`;
    const holder = join(root, "..");
    spawnSync("chmod", ["-R", "a+rwx", holder]);
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "--eval", program, root],
      { encoding: "utf8" },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(existsSync(root)).toBe(false);
  },
);
