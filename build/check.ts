/**
 * `npm run check`: everything that must hold before a change is offered, cheapest first. It stops at the first
 * failure; with `CI` set it goes on, so that one run tells all.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildAll } from "./build.ts";
import { findBreaches } from "./import-rules.ts";
import { root } from "./paths.ts";

// Biome alone does not heed NO_COLOR.
const COLORS = process.env.NO_COLOR ? ["--colors=off"] : [];

/** Six times what it takes on an idle machine of two cores. */
const SLOWNESS_TIMEOUT_MS = 120_000;

const STEPS: ReadonlyArray<readonly [name: string, run: () => boolean | Promise<boolean>]> = [
  ["format and lint", () => tool("@biomejs/biome/bin/biome", "ci", "--error-on-warnings", ...COLORS, ".")],
  ["types", () => tool("typescript/bin/tsc", "--noEmit", "-p", ".")],
  ["import rules", () => report(findBreaches())],
  ["unused code", () => tool("knip/bin/knip.js", "--no-progress")],
  ["build", () => buildAll({ ifStale: true }).then(() => true)],
  ["tests", () => tool("vitest/vitest.mjs", "run")],
  ["speed", warnOfSlowness],
  ["package metadata", () => tool("publint/src/cli.js", "--strict")],
  [
    "package types",
    () =>
      tool(
        "@arethetypeswrong/cli/dist/index.js",
        "--pack",
        ".",
        "--profile",
        "esm-only",
        "--exclude-entrypoints",
        "./worker",
      ),
  ],
];

/** Words on the command line leave steps out: `--without tests`. */
const without = process.argv.slice(2).filter((word) => word !== "--without");

const failed: string[] = [];
for (const [name, run] of STEPS) {
  if (without.includes(name)) continue;
  console.log(`\n── ${name}`);
  if (!(await holds(run))) failed.push(name);
  if (failed.length > 0 && process.env.CI === undefined) break;
}
console.log(failed.length === 0 ? "\nall checks passed" : `\nchecks failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function holds(run: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await run();
  } catch (error) {
    console.error(error);
    return false;
  }
}

function tool(script: string, ...args: string[]): boolean {
  const path = join(root, "node_modules", script);
  return spawnSync(process.execPath, [path, ...args], { cwd: root, stdio: "inherit" }).status === 0;
}

/** Always holds: times on a shared machine fail nothing, and neither does a bench that cannot run. */
function warnOfSlowness(): true {
  const bench = ["--import", "tsx", join(root, "bench/run.ts"), "--compare"];
  const { status, signal } = spawnSync(process.execPath, bench, {
    cwd: root,
    stdio: "inherit",
    timeout: SLOWNESS_TIMEOUT_MS,
  });
  if (status !== 0) console.log(`warning: speed was not compared: it ended with ${status ?? signal}`);
  return true;
}

function report(problems: readonly string[]): boolean {
  for (const problem of problems) console.error(problem);
  return problems.length === 0;
}
