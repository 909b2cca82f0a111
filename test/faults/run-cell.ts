/**
 * Makes one cell of the matrix happen: a sandbox whose worker is good until the cell's moment, the call that meets
 * the fault, the bounds of that call, and what is left afterwards.
 */
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type ExecResult, type HarnessSandbox, openSandbox } from "../../src/index.ts";
import { measureLateness } from "../helpers/lateness.ts";
import { isAlive, until } from "../helpers/processes.ts";
import { onRung, type Rung } from "../helpers/rungs.ts";
import { takeStock } from "../helpers/stock.ts";
import { ENDINGS, REJECTIONS, unknown } from "./endings.ts";
import {
  announce,
  findGuest,
  harm,
  harmAfterOutput,
  holdStarts,
  outermost,
  type Program,
  untilHarmed,
  untilMoved,
} from "./guest.ts";
import { type Fault, MATRIX, type Outcome, type Phase } from "./matrix.ts";

/** What the cells of one file share. */
export interface Ground {
  readonly program: Program;
  /** A directory with 30 MB in `in`. */
  readonly mount: string;
  /** Where temporary files of this process go: nothing may stay there. */
  readonly temp: string;
  /** Another sandbox of the same host. */
  readonly neighbour: HarnessSandbox;
  /** What a new worker takes to its first result, and to its first tool call, on this machine at this time. */
  readonly startMs: number;
  readonly toolMs: number;
}

/** The deadline where it is what must end the call; longer where that is not enough to come to the fault before. */
const DEADLINE_MS = 700;
const MARGIN = 3;
/** For cells in which the deadline must not be what ends them. */
const FAR_DEADLINE_MS = 20_000;
/** The promise: deadline + 250 ms. */
const LATE_MS = 250;
const GRACE_MS = 150;
/** A worker that runs `js-exec` has half of it; the fault `memory` takes more than all of it. */
const MAX_MEMORY_MB = 280;
/** Of 30 MB: far from both ends. */
const UNDER_WAY_BYTES = 5_000_000;
/** The kernel takes its time to free what a process held, and descriptors close a turn later: counted, not timed. */
const SETTLE_MS = 3_000;

const SCRIPTS = {
  starting: "echo ran",
  idle: "echo ran",
  command: "echo begun; sleep 600",
  output: "while :; do echo 0123456789012345678901234567890123456789; sleep 0.002; done",
  "tool call": "js-exec -c 'console.log(await tools.harm({}))'; echo after; sleep 600",
};

export async function runCell(rung: Rung, fault: Fault, phase: Phase, ground: Ground): Promise<void> {
  const { temp, neighbour } = ground;
  // Timers of the cell before this one are told to be gone a turn after they are.
  await new Promise((resolve) => setImmediate(resolve));
  const before = takeStock(temp);
  const cell = await Cell.open(rung, fault, phase, ground);
  try {
    const outcome = MATRIX[fault][phase];
    if (phase === "dispose") await cell.dispose();
    else if (phase === "file write" || phase === "file read") await cell.transfer(phase, outcome);
    else await cell.command(phase, outcome);
    if (outcome === "reads it all, then as idle") await cell.command("idle", MATRIX[fault].idle);
    await cell.expectNext(outcome);
    expect(await neighbour.exec("echo $mine")).toMatchObject({ stdout: "neighbour\n", stateRestored: true });
  } finally {
    await cell.sandbox.dispose();
  }
  await until(() => sameStock(takeStock(temp), before), SETTLE_MS).catch(() => undefined);
  expect(takeStock(temp)).toEqual(before);
}

class Cell {
  readonly #fault: Fault;
  readonly #ground: Ground;
  readonly #timeoutMs: number;
  /** Of a worker that was started before the fault; 0 while there is none. */
  #pid = 0;
  #said = "";
  /** Set once the fault was asked for; resolves when it is there. */
  #harming: Promise<void> | null = null;
  /** Whether no command has gone before the one that meets the fault. */
  #isFirst = true;
  readonly sandbox: HarnessSandbox;
  readonly #failedDisposals: string[] = [];

  private constructor(fault: Fault, ground: Ground, timeoutMs: number, open: (cell: Cell) => HarnessSandbox) {
    this.#fault = fault;
    this.#ground = ground;
    this.#timeoutMs = timeoutMs;
    this.sandbox = open(this);
  }

  static async open(rung: Rung, fault: Fault, phase: Phase, ground: Ground): Promise<Cell> {
    const outcome = MATRIX[fault][phase];
    const untilDeadline = /deadline|too late|as idle/.test(outcome);
    const soonMs = Math.max(
      DEADLINE_MS,
      Math.ceil(MARGIN * (phase === "tool call" ? ground.toolMs : ground.startMs)),
    );
    const timeoutMs = untilDeadline ? soonMs : FAR_DEADLINE_MS;
    announce(ground.program, fault);
    let cell: Cell | undefined;
    const sandbox = await openSandbox({
      ...onRung(rung),
      sandbox: "subprocess",
      mounts: { "/w": { path: ground.mount, tracked: false } },
      workerPath: ground.program.file,
      limits: { maxMemoryMb: MAX_MEMORY_MB, timeoutMs, graceMs: GRACE_MS },
      tools: {
        harm: {
          execute: async () => {
            await cell?.startHarm();
            return "answer";
          },
        },
      },
      onDiagnostic: (text) => cell?.hear(text),
      onEvent: (event) => {
        if (event.type === "harness.runtime.dispose.failed") cell?.noteDispose(event.error);
      },
    });
    cell = new Cell(fault, ground, timeoutMs, () => sandbox);
    if (phase !== "starting") {
      expect(await sandbox.exec("x=kept; cd /tmp", { timeoutMs: 20_000 })).toMatchObject({ exitCode: 0 });
      cell.#isFirst = false;
      cell.#pid = await findGuest(ground.program);
    }
    return cell;
  }

  hear(text: string): void {
    this.#said += text;
  }

  noteDispose(error: string): void {
    this.#failedDisposals.push(error);
  }

  /** Harms the worker; resolves when the fault is there. */
  startHarm(): Promise<void> {
    harm(this.#ground.program, this.#pid, this.#fault);
    this.#harming = untilHarmed(this.#pid, this.#fault, () => this.#said);
    return this.#harming;
  }

  /** A command under which, or before which, the fault comes. */
  async command(phase: keyof typeof SCRIPTS, outcome: Outcome): Promise<void> {
    const streamed: Uint8Array[] = [];
    if (phase === "idle") {
      const outer = outermost(this.#pid);
      await (this.#harming ?? this.startHarm());
      // What ends the worker has ended it before the command comes.
      if (/^kill|memory|its end$/.test(this.#fault)) await until(() => !isAlive(outer), FAR_DEADLINE_MS);
    }
    const caller = new AbortController();
    const onStdout = (chunk: Uint8Array): void => {
      streamed.push(chunk);
      if (streamed.length === (phase === "command" ? 1 : 3)) void this.startHarm();
    };
    if (phase === "starting") holdStarts(this.#ground.program, true);
    const { value, lateMs } = await this.#inTime(async () => {
      const running = this.sandbox.exec(SCRIPTS[phase], {
        signal: caller.signal,
        ...(phase === "command" || phase === "output" ? { onStdout } : {}),
      });
      if (phase === "starting") {
        this.#pid = await findGuest(this.#ground.program);
        holdStarts(this.#ground.program, false);
        await this.startHarm();
      }
      return await running;
    });
    expect(this.#harming).not.toBe(null);
    await this.#harming;
    expect(value).toMatchObject(ENDINGS[outcome] ?? {});
    this.#expectOutput(phase, outcome, value, streamed);
    expect(lateMs).toBeLessThan(LATE_MS);
    expect(getEventListeners(caller.signal, "abort")).toEqual([]);
    await this.#expectWorkerGone();
  }

  /** A transfer of 30 MB that is under way when the fault comes. */
  async transfer(phase: "file write" | "file read", outcome: Outcome): Promise<void> {
    const { program, mount } = this.#ground;
    const content = readFileSync(join(mount, "in"));
    const said = (): string => this.#said;
    const { value, lateMs } = await this.#inTime(async () => {
      let call: Promise<unknown>;
      if (phase === "file read") {
        await harmAfterOutput(program, this.#pid, this.#fault, UNDER_WAY_BYTES, said);
        call = this.sandbox.fs.readFileBuffer("/w/in");
      } else {
        call = this.sandbox.fs.writeFile("/w/out", content);
      }
      const settled = call.then(
        (bytes) => ({ bytes }),
        (error: unknown) => ({ error }),
      );
      if (phase === "file write") {
        await untilMoved(this.#pid, "rchar", UNDER_WAY_BYTES);
        await this.startHarm();
      } else {
        this.#harming = untilHarmed(this.#pid, this.#fault, said);
        await this.#harming;
      }
      return await settled;
    });
    const rejection = REJECTIONS[outcome];
    if (rejection !== undefined) {
      expect(value).toMatchObject({ error: { code: rejection } });
    } else {
      expect(value).not.toHaveProperty("error");
      expect(Buffer.compare((value as { bytes: Uint8Array }).bytes, content)).toBe(0);
    }
    expect(lateMs).toBeLessThan(LATE_MS);
    if (outcome !== "reads it all, then as idle") await this.#expectWorkerGone();
  }

  /** The fault comes in the turn in which `dispose` is called. */
  async dispose(): Promise<void> {
    harm(this.#ground.program, this.#pid, this.#fault);
    const stop = measureLateness();
    const start = performance.now();
    await this.sandbox.dispose();
    const tookMs = performance.now() - start;
    // End of stdin, TERM, KILL: two waits at most.
    expect(tookMs - stop()).toBeLessThan(2 * GRACE_MS + LATE_MS);
    expect(isAlive(this.#pid)).toBe(false);
    expect(this.#failedDisposals).toEqual([]);
  }

  /** The command after the fault. */
  async expectNext(outcome: Outcome): Promise<void> {
    const next = await this.sandbox.exec('echo "$x|$PWD"', { timeoutMs: 20_000 });
    if (outcome === "disposed") {
      expect(next).toMatchObject({ exitCode: 126, ending: { kind: "refused", by: "policy" }, stdout: "" });
    } else if (outcome.includes("for ever")) {
      expect(next).toMatchObject({ exitCode: 126, ending: unknown(/broke the protocol/), stdout: "" });
    } else {
      const stdout = this.#isFirst ? "|/w\n" : "kept|/tmp\n";
      expect(next).toMatchObject({ exitCode: 0, ending: { kind: "exited" }, stdout, stateRestored: true });
    }
  }

  #expectOutput(phase: string, outcome: Outcome, result: ExecResult, streamed: readonly Uint8Array[]): void {
    if (outcome === "runs in a new worker") expect(result.stdout).toBe("ran\n");
    else if (phase === "command") expect(result.stdout).toBe("begun\n");
    else if (phase === "output") expect(result.stdout).toBe(Buffer.concat(streamed).toString());
    else if (phase !== "tool call") expect(result.stdout).toBe("");
  }

  async #expectWorkerGone(): Promise<void> {
    await until(() => !isAlive(this.#pid), SETTLE_MS);
  }

  /** How long after its deadline the call ended, apart from how late this machine runs every timer. */
  async #inTime<T>(call: () => Promise<T>): Promise<{ value: T; lateMs: number }> {
    const stop = measureLateness();
    const start = performance.now();
    const value = await call();
    const tookMs = performance.now() - start;
    return { value, lateMs: tookMs - this.#timeoutMs - stop() };
  }
}

function sameStock(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
