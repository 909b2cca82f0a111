import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type HarnessSandboxFactory,
  type HarnessTurnEvent,
  type LocalHost,
  type LocalHostOptions,
  localHost,
  type PreparedTurn,
} from "../../src/index.ts";
import { createShellRuntime } from "../../src/sandbox.ts";
import type { Execute } from "../../src/shared/executor.ts";
import { tempDir } from "./temp-dir.ts";

/** A host over a fresh data directory, closed after the test. */
export function hostForTest(options: LocalHostOptions = {}): LocalHost {
  const host = localHost({ dataDir: join(tempDir(), "data"), ...options });
  onTestFinished(() => host.close());
  return host;
}

/** A factory over an executor written in the test, without a process and without the engine. */
export function scriptedSandbox(
  execute: Execute = async ({ command }) => ({ stdout: `${command}\n`, stderr: "", exitCode: 0 }),
  dispose: () => Promise<void> | void = () => undefined,
): HarnessSandboxFactory {
  return async (options) => createShellRuntime({ ...options, execute, dispose });
}

/** What a turn left on disk. */
export function turnOnDisk(
  host: LocalHost,
  turn: PreparedTurn,
): { directory: string; record: Record<string, unknown>; events: HarnessTurnEvent[]; isLocked: boolean } {
  const session = join(host.dataDir, "sessions", turn.session.id);
  const directory = join(session, "turns", turn.id);
  const lines = readFileSync(join(directory, "events.ndjson"), "utf8").split("\n").slice(0, -1);
  return {
    directory,
    record: JSON.parse(readFileSync(join(directory, "turn.json"), "utf8")),
    events: lines.map((line) => JSON.parse(line) as HarnessTurnEvent),
    isLocked: existsSync(join(session, "turn.lock")),
  };
}

/** Types of events, in order. */
export function typesOf(events: readonly HarnessTurnEvent[]): string[] {
  return events.map(({ type }) => type.replace("harness.", ""));
}
