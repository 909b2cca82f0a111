/** Runs what a bundler made, each time in a fresh directory elsewhere, and says how it went. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How a bundle is laid out where it runs. */
export const WAYS = ["external", "workerPath", "beside", "no worker"] as const;
export type Way = (typeof WAYS)[number];

/** `null` when it did what is expected; else what it did. */
export type Outcome = string | null;

const PACKAGE = "node_modules/@little-stack/harness";
const SECRET = "must not be seen";

/** What the program prints, up to the variables of the shell. */
const EXPECTED = [
  "harness.runtime.command.started ",
  "harness.tool_call.started orders.find",
  "harness.tool_call.completed orders.find",
  "harness.runtime.command.completed ",
  "harness.file.created /session/total.txt",
  "42",
];

/**
 * Runs one output in one way. While it runs, the package is away from where it was bundled: paths of the build
 * that got into a bundle lead nowhere, as on any other machine.
 */
export function tryBundle(project: string, extension: "mjs" | "cjs", way: Way): Outcome {
  const place = mkdtempSync(join(tmpdir(), "bundle-"));
  const away = join(project, "node_modules/@away");
  try {
    cpSync(join(project, "out"), place, { recursive: true });
    if (way === "external") cpSync(join(project, PACKAGE), join(place, PACKAGE), { recursive: true });
    if (way === "workerPath") renameSync(join(place, "worker"), join(place, "the-worker"));
    if (way === "external" || way === "no worker") rmSync(join(place, "worker"), { recursive: true });
    renameSync(join(project, "node_modules/@little-stack"), away);
    const file = `${way === "external" ? "external" : "bundled"}.${extension}`;
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, [file], {
      cwd: place,
      encoding: "utf8",
      env: { SECRET, ...(way === "workerPath" ? { WORKER_PATH: "the-worker" } : {}) },
      timeout: 60_000,
    });
    const said = `${signal ?? status}: ${stdout}${stderr}`;
    if (said.includes(SECRET)) return `the secret got out: ${said}`;
    if (way === "no worker") return tellsWhatToSet(stderr) ? null : said;
    const asExpected = stdout.split("\n").slice(0, EXPECTED.length).join("\n") === EXPECTED.join("\n");
    if (status !== 0 || stderr !== "" || !asExpected) return said;
    const total = readFileSync(join(place, "data/total.txt"), "utf8");
    return total === "42\n" ? null : `total.txt holds ${total}`;
  } finally {
    renameSync(away, join(project, "node_modules/@little-stack"));
    rmSync(place, { recursive: true, force: true });
  }
}

/** The files of the last bundles that have a part of the worker in them; its folder beside them is not meant. */
export function holdingWorker(project: string): string[] {
  const out = join(project, "out");
  return readdirSync(out, { recursive: true, encoding: "utf8" })
    .filter((name) => !/^worker(?:[/\\]|$)/.test(name) && statSync(join(out, name)).isFile())
    .filter((name) => readFileSync(join(out, name), "utf8").includes("sqlite3-worker"));
}

/** The refusal that names each way out. */
export function tellsWhatToSet(text: string): boolean {
  const words = [
    "The sandbox worker was not found. Tried: ",
    "external",
    "serverExternalPackages",
    "workerPath",
  ];
  return words.every((word) => text.includes(word));
}
