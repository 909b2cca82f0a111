/** Registers the tests of some columns of the matrix on one rung; each cell is a test. */
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { type HarnessSandbox, openSandbox } from "../../src/index.ts";
import { until } from "../helpers/processes.ts";
import { onRung, type Rung } from "../helpers/rungs.ts";
import { countTimers } from "../helpers/stock.ts";
import { failOnStrays } from "../helpers/strays.ts";
import { type Fault, MATRIX, PHASES } from "./matrix.ts";
import { type Ground, runCell } from "./run-cell.ts";

const TRANSFER_BYTES = 30_000_000;

export function testColumns(rung: Rung, faults: readonly Fault[]): void {
  failOnStrays();
  const folder = mkdtempSync(join(tmpdir(), "fault-matrix-"));
  const hostTemp = process.env.TMPDIR;
  let ground: Ground | undefined;
  let neighbour: HarnessSandbox | undefined;

  beforeAll(async () => {
    countTimers();
    const program = writeSickWorker(folder, rung);
    const [mount, temp, other] = ["mount", "temp", "other"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const directory of [mount, temp, other]) mkdirSync(directory);
    writeFileSync(join(mount, "in"), Buffer.alloc(TRANSFER_BYTES, "0123456789"));
    neighbour = await openSandbox({ mounts: { "/w": other }, sandbox: "subprocess" });
    await neighbour.exec("mine=neighbour");
    await neighbour.isolation();
    process.env.TMPDIR = temp;
    ground = { program, mount, temp, neighbour, ...(await warmUp(rung, mount)) };
  });
  afterAll(async () => {
    if (hostTemp === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = hostTemp;
    await neighbour?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const fault of faults) {
    describe(`${fault}, on the rung ${rung}`, () => {
      for (const phase of PHASES) {
        test(`${phase}: ${MATRIX[fault][phase]}`, { timeout: 60_000 }, async () => {
          expect(ground).toBeDefined();
          if (ground !== undefined) await runCell(rung, fault, phase, ground);
        });
      }
    });
  }
}

/** A copy of the built worker that does its fault when it is told to. */
function writeSickWorker(folder: string, rung: Rung): Ground["program"] {
  const worker = join(folder, "worker");
  cpSync(join(root, "dist/worker"), worker, { recursive: true });
  renameSync(join(worker, "main.js"), join(worker, "real.js"));
  const file = join(worker, "main.js");
  copyFileSync(join(root, "test/fixtures/workers/sick.mjs"), file);
  return { file, argv: rung === "namespace" ? "/worker/main.js" : file };
}

/** What is loaded or asked once in the life of a process is there before anything is counted. */
async function warmUp(rung: Rung, mount: string): Promise<Pick<Ground, "startMs" | "toolMs">> {
  let start = performance.now();
  const since = (): number => performance.now() - start;
  let toolMs = 0;
  const sandbox = await openSandbox({
    ...onRung(rung),
    sandbox: "subprocess",
    mounts: { "/w": mount },
    tools: {
      come: {
        execute: () => {
          toolMs = since();
        },
      },
    },
  });
  try {
    expect(await sandbox.exec("echo warm")).toMatchObject({ stdout: "warm\n" });
    const startMs = since();
    await sandbox.fs.readFile("/w/in");
    await sandbox.isolation();
    start = performance.now();
    await sandbox.exec("js-exec -c 'await tools.come({})'");
    return { startMs, toolMs };
  } finally {
    await sandbox.dispose();
    await until(() => !process.getActiveResourcesInfo().includes("ProcessWrap"));
  }
}
