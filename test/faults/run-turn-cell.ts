/** Makes one cell of the turn matrix happen, and looks at what it told and at what is left. */
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import {
  createHarness,
  generateHarness,
  type HarnessSandboxFactory,
  type HarnessSandboxMode,
  type HarnessTurnEvent,
  justBashSandbox,
  type LocalHost,
  subprocessSandbox,
  tieredSandbox,
} from "../../src/index.ts";
import { hostForTest, scriptedSandbox } from "../helpers/hosts.ts";
import { descendants, killWorker, until, workerPids } from "../helpers/processes.ts";
import { type Answer, bash, scriptedModel } from "../helpers/scripted-model.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { checkStream } from "./check-turn-stream.ts";
import { ENDS, type Mode, type Row } from "./turn-matrix.ts";

const WAITS = "echo begun; while [ ! -e /session/never ]; do sleep 0.05; done";

export async function runTurnCell(mode: Mode, row: Row): Promise<void> {
  const before = descendants(process.pid).filter((pid) => !workerPids().includes(pid));
  const sandboxes = new Counted();
  const host = hostForTest({ sandbox: sandboxOf(mode, row, sandboxes) });
  const temp = usePrivateTemp();
  const session = await host.createSession();
  const events: HarnessTurnEvent[] = [];
  const caller = new AbortController();
  const harness = createHarness({
    host,
    model: scriptedModel(...answersOf(mode, row)),
    maxRetries: 0,
    tools: { pay: { execute: () => Promise.reject(new Error("card declined")) } },
    toolContext: null,
  });
  const onEvent = (event: HarnessTurnEvent): void => {
    events.push(event);
    if (event.type !== "harness.runtime.command.started" || event.command !== WAITS) return;
    if (row === "abort") caller.abort(new Error("the user closed the page"));
    if (row === "child killed") void killSoon();
  };
  const given = await generateHarness({
    harness,
    prompt: "go",
    session,
    abortSignal: caller.signal,
    onEvent,
  }).catch((error: unknown) => error);

  const { gives, status, disposeFails, endings } = ENDS[row];
  expect(given).toMatchObject(gives);
  const { record } = checkStream(host, session.id, events);
  expect(record).toMatchObject({ status, sandboxOpened: row !== "factory error" });
  expect(events.filter(({ type }) => type === "harness.runtime.dispose.failed")).toHaveLength(
    disposeFails ? 1 : 0,
  );
  const ended = events.filter((event) => event.type === "harness.runtime.command.failed");
  expect(ended.map(({ ending }) => ending)).toMatchObject(endings);
  const failedTools = events.flatMap((event) =>
    event.type === "harness.tool_call.failed" && event.tool === "pay" ? [event.error] : [],
  );
  expect(failedTools).toEqual(row === "tool error" ? ["card declined"] : []);
  await expectReleased(host, session.id, { temp, before, sandboxes });
}

/** What the model says: a first command for all rows, so that there is something to release. */
function answersOf(mode: Mode, row: Row): Answer[] {
  const begin = bash("echo 1 > /session/a; echo 2 > /artifacts/b");
  // Into the higher tier, where there is one.
  const end: Answer[] = [...(mode === "tiered" ? [bash("git status")] : []), { text: "done" }];
  switch (row) {
    case "model error":
      return [begin, { fails: new Error("overloaded") }];
    case "tool error":
      return [begin, { calls: [["pay", { amount: 1 }]] }, ...end];
    case "abort":
      return [begin, bash(WAITS), ...end];
    case "deadline":
      return [
        begin,
        { calls: [["bash", { command: WAITS, timeoutMs: 300 }]] },
        bash("cat /session/a"),
        ...end,
      ];
    case "child killed":
      return [begin, bash(WAITS), bash("cat /session/a"), ...end];
    default:
      return [begin, ...end];
  }
}

function sandboxOf(mode: Mode, row: Row, counted: Counted): HarnessSandboxMode | HarnessSandboxFactory {
  if (row === "dispose error") return counted.failing(factoryOf(mode), "dispose");
  if (row === "factory error") return counted.failing(factoryOf(mode), "make");
  return mode === "tiered" ? factoryOf(mode) : mode;
}

function factoryOf(mode: Mode): HarnessSandboxFactory {
  if (mode === "just-bash") return justBashSandbox();
  return mode === "tiered" ? tieredSandbox({ nextTier: scriptedSandbox() }) : subprocessSandbox();
}

/** Factories that fail where they are told to, and what became of their sandboxes. */
class Counted {
  made = 0;
  disposed = 0;

  failing(factory: HarnessSandboxFactory, at: "make" | "dispose"): HarnessSandboxFactory {
    return async (options) => {
      if (at === "make") throw new Error("no machine is free");
      const sandbox = await factory(options);
      this.made++;
      const dispose = async (): Promise<void> => {
        await sandbox.dispose();
        this.disposed++;
        throw new Error("the machine could not be given back");
      };
      return {
        exec: sandbox.exec.bind(sandbox),
        fs: sandbox.fs,
        isolation: sandbox.isolation.bind(sandbox),
        dispose,
        [Symbol.asyncDispose]: dispose,
      };
    };
  }
}

/** Once there is one to be killed. */
async function killSoon(): Promise<void> {
  await until(() => workerPids().length === 1);
  await killWorker();
}

/** Private directories of sandboxes of this cell lie here. */
function usePrivateTemp(): string {
  const directory = join(tempDir(), "temp");
  mkdirSync(directory);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = directory;
  onTestFinished(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  return directory;
}

interface Before {
  readonly temp: string;
  readonly before: readonly number[];
  readonly sandboxes: Counted;
}

/** By the time the caller has its answer. */
async function expectReleased(
  host: LocalHost,
  session: string,
  { temp, before, sandboxes }: Before,
): Promise<void> {
  expect(workerPids()).toEqual([]);
  expect(descendants(process.pid)).toEqual(before);
  expect(sandboxes.disposed).toBe(sandboxes.made);
  expect(readdirSync(temp)).toEqual([]);
  // The session is free, and nothing that a turn was about to write is left.
  const next = await host.prepareTurn({ session });
  expect(
    readdirSync(next.workspace.mounts[0]?.backingPath ?? "").filter((name) => name.startsWith(".")),
  ).toEqual([]);
  await next.dispose();
}
