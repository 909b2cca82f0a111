/** A run that is begun, cut off and gone on with, in this process: harnesses of one host over one session log. */
import {
  type Execute,
  generateHarness,
  type HarnessOptions,
  type HarnessResult,
  type HarnessSandboxFactory,
  type HarnessTurnOptions,
} from "../../src/index.ts";
import { memorySessionLog } from "../../src/remote-session.ts";
import { createEnvironmentToolBridge, createShellRuntime, resolveTraceOptions } from "../../src/sandbox.ts";
import { SandboxError } from "../../src/shared/errors.ts";
import type { HarnessSessionLog, SessionLogEvent } from "../../src/shared/session-log.ts";
import { harnessForTest } from "./harness.ts";
import { hostForTest } from "./hosts.ts";
import type { Answer } from "./scripted-model.ts";

/** Everything that a test of runs needs; each `go` is a process of its own as far as the loop can tell. */
export function runForReplay(answers: readonly Answer[], options: Partial<HarnessOptions> = {}) {
  const log = memorySessionLog();
  const host = options.host ?? hostForTest();
  const go = async (
    changes: Partial<HarnessTurnOptions> = {},
    over: Partial<HarnessOptions> & { readonly answers?: readonly Answer[] } = {},
  ): Promise<{ result: HarnessResult; modelCalls: number }> => {
    const { answers: others = answers, ...rest } = over;
    const { harness, model } = harnessForTest(others, { ...options, host, ...rest });
    const result = await generateHarness({
      harness,
      prompt: "go",
      runId: "run-1",
      sessionLog: log,
      ...changes,
    });
    return { result, modelCalls: model.doGenerateCalls.length };
  };
  return { log, host, go, events: () => log.read("run-1") };
}

/** A log whose n-th append fails: before the event is kept or after it, as when the answer was lost. */
export function failingLog(log: HarnessSessionLog, at: number, when: "before" | "after"): HarnessSessionLog {
  let appends = 0;
  return {
    read: (runId, options) => log.read(runId, options),
    close: () => log.close(),
    async append(event) {
      appends++;
      const isLast = appends >= at;
      if (isLast && (when === "before" || appends > at)) throw lost();
      const kept = await log.append(event);
      if (isLast) throw lost();
      return kept;
    },
  };
}

function lost(): SandboxError {
  return new SandboxError("SESSION_LOG_FAILED", "the log has gone away");
}

/** Keys and types of a run, in order. */
export function keysOf(events: readonly SessionLogEvent[]): string[] {
  return events.map(
    ({ appendIdempotencyKey, type }) => `${appendIdempotencyKey} ${type.replace("harness.run.", "")}`,
  );
}

/** The data of the record with this key. */
export function dataOf(events: readonly SessionLogEvent[], key: string): Record<string, unknown> {
  const event = events.find(({ appendIdempotencyKey }) => appendIdempotencyKey === key);
  return (event?.data ?? {}) as Record<string, unknown>;
}

/** A factory whose commands are written in the test, with the tools of the host, and without a process. */
export function sandboxWithTools(execute: Execute): HarnessSandboxFactory {
  return async (options) => {
    const traceOptions = options.traceOptions ?? resolveTraceOptions(undefined, undefined);
    const toolBridge = createEnvironmentToolBridge(options, traceOptions, () => undefined);
    return createShellRuntime({ ...options, execute, ...(toolBridge && { toolBridge }) });
  };
}
