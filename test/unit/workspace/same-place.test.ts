import {
  closeSync,
  mkdirSync,
  openSync,
  realpathSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requireSamePlace } from "../../../src/workspace/same-place.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

test.skipIf(process.platform !== "linux")(
  "an open file is taken only for the one that its path names",
  () => {
    const directory = realpathSync(tempDir());
    mkdirSync(join(directory, "outside"));
    writeFileSync(join(directory, "outside/f"), "");
    symlinkSync("outside", join(directory, "way"));
    const through = openSync(join(directory, "way/f"), "r");
    const straight = openSync(join(directory, "outside/f"), "r");
    try {
      expect(() => requireSamePlace(through, join(directory, "way/f"))).toThrow("ELOOP");
      requireSamePlace(straight, join(directory, "outside/f"));
      requireSamePlace(straight, Buffer.from(join(directory, "outside/f")));
      unlinkSync(join(directory, "outside/f"));
      requireSamePlace(straight, join(directory, "outside/f"));
    } finally {
      closeSync(through);
      closeSync(straight);
    }
  },
);
