/**
 * `npm run test:nodes [--pairs] [version …]`: other versions of Node.js, fetched from the npm registry. Prints the
 * table of docs/platforms.md, then runs the process and contract suites on each (not with `--pairs`). Ends with 1
 * when something is not as expected.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { buildAll } from "../../../build/build.ts";
import { root } from "../../../build/paths.ts";
import { inspectNode } from "../../../src/parent/inspect-parts.ts";
import { parseNodeVersion } from "../../../src/parent/isolation/node-version.ts";
import { permissionFlags } from "../../../src/parent/isolation/permission-flags.ts";
import { installNodes } from "./install.ts";
import { EXPECTED, type Given, tryPair } from "./try-pair.ts";

const RUNGS = ["process", "hardened"];
const given = process.argv.slice(2);
const wanted = given.filter((word) => !word.startsWith("-"));
const failures: string[] = [];

await buildAll({ ifStale: true });
const nodes = installNodes().filter(({ asked }) => wanted.length === 0 || wanted.includes(asked));
const all = [...(wanted.length === 0 ? [{ asked: "own", path: process.execPath }] : []), ...nodes];

const columns: string[][] = [];
for (const { path } of all) {
  const { version, differences } = await inspectNode(path);
  const own = attempt(`${version} alone`, path, null);
  const asWorker = attempt(`${process.version} with a worker on ${version}`, process.execPath, path);
  const asParent = attempt(`${version} with a worker on ${process.version}`, path, process.execPath);
  columns.push([
    version ?? path,
    own.hardened?.defense ?? "–",
    flagsOf(version),
    own.hardened?.walls["network against an escaped guest"] ?? "–",
    ...differences.slice(1).map(({ here }) => (here ? "yes" : "no")),
    requireOf(path),
    isRight(own) ? "runs" : "fails",
    isRight(asWorker) ? "runs" : "fails",
    isRight(asParent) ? "runs" : "fails",
  ]);
}
const { differences } = await inspectNode(process.execPath);
printTable([
  "",
  "defense-in-depth of the engine",
  "flags that not every version has",
  "network, from an escaped guest (`hardened`)",
  ...differences.slice(1).map(({ what }) => what),
  "`require()` of the package",
  "parent and worker",
  `worker of a parent on ${process.version}`,
  `parent of a worker on ${process.version}`,
]);

if (!given.includes("--pairs")) {
  for (const { asked, path } of nodes) {
    console.log(`\n── process and contract suites on ${asked}`);
    const args = [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--project",
      "process",
      "--project",
      "contract",
    ];
    const { status } = spawnSync(path, args, { cwd: root, stdio: "inherit" });
    if (status !== 0) failures.push(`suites on ${asked}`);
  }
}
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

function attempt(what: string, parent: string, worker: string | null): Record<string, Given> {
  let rungs: Record<string, Given> = {};
  try {
    rungs = tryPair(parent, worker, RUNGS);
  } catch (error) {
    failures.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (Object.keys(rungs).length > 0 && !isRight(rungs)) failures.push(`${what}: ${JSON.stringify(rungs)}`);
  console.error(`${isRight(rungs) ? "ok    " : "FAILED"} ${what}`);
  return rungs;
}

function isRight(rungs: Record<string, Given>): boolean {
  return RUNGS.every((name) => {
    const rung = rungs[name];
    if (rung === undefined) return false;
    const { said, ending, touched, changed, after } = rung;
    return isDeepStrictEqual({ said, ending, touched, changed, after }, EXPECTED);
  });
}

function flagsOf(text: string | null): string {
  const version = parseNodeVersion(text ?? "");
  if (version === null) return "–";
  const differing = /^--(?:permission|experimental-permission|no-experimental|disable-sigusr1|allow-net)/;
  return permissionFlags(version, "/w/main.js", "all", true)
    .filter((flag) => differing.test(flag))
    .map((flag) => `\`${flag}\``)
    .join(" ");
}

function requireOf(path: string): string {
  const program = `require(${JSON.stringify(join(root, "dist/index.js"))})`;
  const { status, stderr } = spawnSync(path, ["--eval", program], { encoding: "utf8", env: {} });
  if (status === 0) return stderr === "" ? "works" : "works, with a warning";
  return /dynamic import\(\)/.test(stderr) ? "fails, and says to use `import()`" : "fails";
}

function printTable(rows: readonly string[]): void {
  console.log(`\n${process.platform} ${process.arch}\n`);
  rows.forEach((name, index) => {
    console.log(`| ${[name, ...columns.map((column) => column[index] ?? "")].join(" | ")} |`);
    if (index === 0)
      console.log(`| ${rows.length > 0 ? ["---", ...columns.map(() => "---")].join(" | ") : ""} |`);
  });
}
