/** Runs cases of the corpus in sandboxes and keeps what a user could compare. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localToolchainSandbox, openSandbox } from "../../src/index.ts";
import type { HarnessEvent } from "../../src/shared/events.ts";
import type { ExecResult } from "../../src/shared/sandbox.ts";
import type { CorpusCase } from "../fixtures/corpus/case.ts";
import { changesBetween, type FilesLeft, lookAt } from "../fixtures/corpus/files-left.ts";
import { hostTools } from "../fixtures/corpus/host-tools.ts";
import { buildTree } from "../fixtures/corpus/tree.ts";

export type Kind = "subprocess" | "just-bash" | "toolchain";

/** As where the answers of real bash were recorded. */
const toolchain = localToolchainSandbox({
  env: { USER: "user", SHELL: "/bin/bash", LC_ALL: "C.UTF-8", TZ: "UTC" },
});

export interface CaseRun {
  results: ExecResult[];
  events: HarnessEvent[];
  /** What is different below `/work` at the end. */
  files: FilesLeft;
}

/** One sandbox over a tree of its own, for cases one after the other. */
export interface CaseRunner {
  run(corpusCase: CorpusCase): Promise<CaseRun>;
  close(): Promise<void>;
}

export async function openRunner(kind: Kind): Promise<CaseRunner> {
  const root = mkdtempSync(join(tmpdir(), "corpus-"));
  const work = join(root, "work");
  buildTree(root);
  mkdirSync(join(root, "home"));
  let fresh = true;
  const events: HarnessEvent[] = [];
  const sandbox = await openSandbox({
    mounts: {
      "/work": { path: work, access: "rw", tracked: true, readOnlyPrefixes: ["/work/locked"] },
      "/docs": { path: join(root, "docs"), access: "ro" },
    },
    cwd: "/work",
    tools: hostTools,
    toolContext: {},
    sandbox: kind === "toolchain" ? toolchain : kind,
    onEvent: (event) => {
      events.push(event);
    },
  });
  return {
    async run({ steps }) {
      if (!fresh) {
        for (const name of readdirSync(work)) rmSync(join(work, name), { recursive: true, force: true });
        buildTree(root);
      }
      fresh = false;
      const before = lookAt(work);
      const results: ExecResult[] = [];
      for (const { exec, options } of steps) results.push(await sandbox.exec(exec, options));
      return { results, events, files: changesBetween(before, lookAt(work)) };
    },
    async close() {
      await sandbox.dispose();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** One case in a sandbox of its own. */
export async function runCase(corpusCase: CorpusCase, kind: Kind): Promise<CaseRun> {
  const runner = await openRunner(kind);
  try {
    return await runner.run(corpusCase);
  } finally {
    await runner.close();
  }
}
