/**
 * `npm run test:bundlers [name …]`: the program of the README through each bundler, on the packed package, with
 * the files of `examples/bundling/`. Prints the table of docs/bundling.md; ends with 1 when an outcome is not the
 * expected one. Installs the bundlers from the npm registry into `.cache/bundlers`, without their install scripts.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildAll } from "../../../build/build.ts";
import { root } from "../../../build/paths.ts";
import { packPackage } from "../../helpers/packed-package.ts";
import { BUNDLERS, bundle, NEXT_PACKAGES } from "./bundlers.ts";
import { holdingWorker, type Outcome, tryBundle, WAYS, type Way } from "./try-bundle.ts";
import { buildNext, NEXT_WAYS, tryNext } from "./try-next.ts";

const project = join(root, ".cache/bundlers");
const names = process.argv.slice(2).map((name) => name.toLowerCase());
const isAsked = (name: string): boolean =>
  names.length === 0 || names.some((asked) => name.toLowerCase().startsWith(asked));

const failures: string[] = [];
const rows: string[] = [];

await buildAll({ ifStale: true });
prepare();
for (const bundler of BUNDLERS.filter(({ name }) => isAsked(name))) {
  rmSync(join(project, "out"), { recursive: true, force: true });
  const label = `${bundler.name} ${Object.values(bundler.packages)[0]}`;
  attempt(label, () => {
    bundle(bundler, project);
    return null;
  });
  attempt(`${label}: nothing of the worker inside`, () => holdingWorker(project).join(", ") || null);
  for (const extension of bundler.extensions) {
    const cells = WAYS.map((way) => {
      const outcome = attempt(`${label} ${extension} ${way}`, () => tryBundle(project, extension, way));
      return cell(way, outcome);
    });
    rows.push(`| ${label} | ${extension === "mjs" ? "ESM" : "CommonJS"} | ${cells.join(" | ")} |`);
  }
}
if (isAsked("Next.js")) {
  const label = `Next.js ${NEXT_PACKAGES.next}`;
  const cells = new Map<Way, string>();
  for (const way of NEXT_WAYS) {
    if (way === "external") buildNext(project, "external");
    if (way === "workerPath") buildNext(project, "bundled");
    cells.set(way, cell(way, note(`${label} ${way}`, await tryNext(project, way))));
  }
  rows.push(`| ${label} | Turbopack | ${WAYS.map((way) => cells.get(way) ?? "–").join(" | ")} |`);
}

console.log(`Node.js ${process.version}, ${process.platform}\n`);
console.log(
  "| bundler | output | external | inside, `workerPath` | inside, worker beside | inside, no worker |",
);
console.log("| --- | --- | --- | --- | --- | --- |");
for (const row of rows) console.log(row);
for (const failure of failures) console.error(`\n${failure}`);
process.exitCode = failures.length === 0 ? 0 : 1;

function prepare(): void {
  const packages = Object.assign({}, NEXT_PACKAGES, ...BUNDLERS.map(({ packages }) => packages));
  const manifest = `${JSON.stringify({ private: true, type: "module", dependencies: packages }, null, 2)}\n`;
  const file = join(project, "package.json");
  const ours = join(project, "node_modules/@little-stack/harness");
  rmSync(join(project, "node_modules/@away"), { recursive: true, force: true });
  if (!existsSync(file) || readFileSync(file, "utf8") !== manifest || !existsSync(join(project, "done"))) {
    rmSync(project, { recursive: true, force: true });
    mkdirSync(project, { recursive: true });
    writeFileSync(file, manifest);
    const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund"];
    execFileSync("npm", args, { cwd: project, stdio: "inherit" });
    writeFileSync(join(project, "done"), "");
  }
  const packed = packPackage();
  rmSync(ours, { recursive: true, force: true });
  cpSync(packed.folder, ours, { recursive: true });
  packed.remove();
  const examples = join(root, "examples/bundling");
  cpSync(examples, project, { recursive: true });
  cpSync(join(examples, "next"), project, { recursive: true });
}

function attempt(what: string, run: () => Outcome): Outcome {
  try {
    return note(what, run());
  } catch (error) {
    return note(what, error instanceof Error ? error.message : String(error));
  }
}

function note(what: string, outcome: Outcome): Outcome {
  console.error(`${outcome === null ? "ok    " : "FAILED"} ${what}`);
  if (outcome !== null) failures.push(`${what}: ${outcome}`);
  return outcome;
}

function cell(way: Way, outcome: Outcome): string {
  if (outcome !== null) return "fails";
  return way === "no worker" ? "says so" : "runs";
}
