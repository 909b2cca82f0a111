/**
 * Parent and worker need not be one Node.js. Those that `npx tsx test/process/nodes/install.ts` has fetched are
 * tried both ways; the suites on each of them: `npm run test:nodes`.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { installedNodes } from "./nodes/install.ts";
import { EXPECTED, tryPair } from "./nodes/try-pair.ts";

const others = installedNodes();
const NONE = "skipped: no other Node.js in .cache/nodes (npx tsx test/process/nodes/install.ts)";
const names = others.length === 0 ? [{ asked: NONE, path: "" }] : others;

test.skipIf(others.length === 0).each(names)(
  "a worker on another Node.js gives the same, hardened: $asked",
  ({ path }) => {
    expect(tryPair(process.execPath, path, ["hardened"])).toMatchObject({ hardened: EXPECTED });
  },
  120_000,
);

test.skipIf(others.length === 0).each(names)(
  "a parent on another Node.js gives the same with a worker on this one, hardened: $asked",
  ({ path }) => {
    expect(tryPair(path, process.execPath, ["hardened"])).toMatchObject({ hardened: EXPECTED });
  },
  120_000,
);

test.skipIf(others.length === 0).each(names)(
  "require() of the package works or says to use import(): $asked",
  ({ path }) => {
    const program = `console.log(typeof require(${JSON.stringify(join(root, "dist/index.js"))}).openSandbox)`;
    const { stdout, stderr } = spawnSync(path, ["--eval", program], { encoding: "utf8", env: {} });
    if (stdout === "") expect(stderr).toMatch(/ERR_REQUIRE_ESM|dynamic import\(\)/);
    else expect(stdout).toBe("function\n");
  },
);
