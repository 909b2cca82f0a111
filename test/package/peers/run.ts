/**
 * `npm run test:peers [version …]`: one program with a harness, on the packed package, with the newest release of each
 * version of the AI SDK that is supported. Installs them from the npm registry into `.cache/peers`; 7 needs Node.js 22.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildAll } from "../../../build/build.ts";
import { root } from "../../../build/paths.ts";
import { packPackage } from "../../helpers/packed-package.ts";

/** Version of the AI SDK → the version of the interface between it and models that its own providers have. */
const SPECIFICATIONS: Readonly<Record<string, string>> = { 5: "v2", 6: "v3", 7: "v4" };

const asked = process.argv.slice(2);
await buildAll({ ifStale: true });
const packed = packPackage();
const failed: string[] = [];
for (const [version, specification] of Object.entries(SPECIFICATIONS)) {
  if (asked.length > 0 && !asked.includes(version)) continue;
  const project = install(version);
  const { status, stdout, stderr } = spawnSync(process.execPath, ["program.mjs", specification], {
    cwd: project,
    encoding: "utf8",
    timeout: 60_000,
  });
  console.log(`${status === 0 ? "ok    " : "FAILED"} ai ${installed(project)}`);
  if (status !== 0) {
    failed.push(version);
    console.error(`${stdout}${stderr}`);
  }
}
packed.remove();
process.exitCode = failed.length === 0 ? 0 : 1;

function install(version: string): string {
  const project = join(root, ".cache/peers", version);
  mkdirSync(project, { recursive: true });
  if (!existsSync(join(project, "node_modules/ai"))) {
    const dependencies = { ai: version, zod: "4" };
    writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, dependencies }));
    const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund"];
    execFileSync("npm", args, { cwd: project, stdio: "inherit" });
  }
  const ours = join(project, "node_modules/@little-stack/harness");
  rmSync(ours, { recursive: true, force: true });
  cpSync(packed.folder, ours, { recursive: true });
  cpSync(join(root, "test/package/peers/program.mjs"), join(project, "program.mjs"));
  return project;
}

function installed(project: string): string {
  return JSON.parse(readFileSync(join(project, "node_modules/ai/package.json"), "utf8")).version;
}
