/** One Node.js as parent, another as worker, on the built package. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../../build/paths.ts";

/** What a sandbox gave on one rung. */
export interface Given {
  readonly said: Readonly<Record<string, string>>;
  readonly ending: unknown;
  readonly touched: number;
  /** Events of changed files. */
  readonly changed: number;
  readonly after: string;
  readonly defense: string;
  readonly engine: string;
  readonly walls: Readonly<Record<string, string>>;
}

/** What every pair must give, whatever else differs. */
export const EXPECTED = {
  said: {
    bash: "3",
    JavaScript: "42",
    TypeScript: "42",
    Python: "42",
    SQL: "42",
    jq: "42",
    tool: "42",
  },
  ending: { kind: "killed", by: "deadline" },
  touched: 0,
  changed: 1,
  after: "new\n",
} as const;

/** Runs the program; `worker: null` takes the parent's own. Throws with what was printed when there is no answer. */
export function tryPair(
  parent: string,
  worker: string | null,
  rungs: readonly string[],
): Record<string, Given> {
  const directory = mkdtempSync(join(tmpdir(), "nodes-"));
  try {
    const program = join(root, "test/fixtures/parents/platform.mjs");
    const { stdout, stderr } = spawnSync(parent, [program, worker ?? "own", ...rungs], {
      cwd: directory,
      encoding: "utf8",
      env: {},
      timeout: 120_000,
    });
    const line = stdout.trim().split("\n").at(-1) ?? "";
    if (stderr !== "" || !line.startsWith("{"))
      throw new Error(`${parent} with ${worker}: ${stdout}${stderr}`);
    return (JSON.parse(line) as { rungs: Record<string, Given> }).rungs;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
