/** Runs one case of the corpus in one sandbox, over a fresh tree, and keeps what a user could compare. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSandbox } from "../../src/index.ts";
import type { HarnessEvent } from "../../src/shared/events.ts";
import type { ExecResult } from "../../src/shared/sandbox.ts";
import type { CorpusCase } from "../fixtures/corpus/case.ts";
import { hostTools } from "../fixtures/corpus/host-tools.ts";
import { buildTree } from "../fixtures/corpus/tree.ts";

export interface CaseRun {
  results: ExecResult[];
  events: HarnessEvent[];
}

export async function runCase(
  corpusCase: CorpusCase,
  sandboxKind: "subprocess" | "just-bash",
): Promise<CaseRun> {
  const root = mkdtempSync(join(tmpdir(), "corpus-"));
  buildTree(root);
  mkdirSync(join(root, "home"));
  const events: HarnessEvent[] = [];
  try {
    const sandbox = await openSandbox({
      mounts: {
        "/work": {
          path: join(root, "work"),
          access: "rw",
          tracked: true,
          readOnlyPrefixes: ["/work/locked"],
        },
        "/docs": { path: join(root, "docs"), access: "ro" },
      },
      cwd: "/work",
      tools: hostTools,
      toolContext: {},
      sandbox: sandboxKind,
      onEvent: (event) => {
        events.push(event);
      },
    });
    const results: ExecResult[] = [];
    for (const { exec, options } of corpusCase.steps) results.push(await sandbox.exec(exec, options));
    await sandbox.dispose();
    return { results, events };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
