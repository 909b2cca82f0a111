/** Two sandboxes of this process as tiers. */
import { expect, onTestFinished } from "vitest";
import {
  type CreateSandboxOptions,
  type HarnessEvent,
  type HarnessSandbox,
  type HarnessSandboxFactory,
  justBashSandbox,
  type TieredSandboxOptions,
  tieredSandbox,
} from "../../src/index.ts";
import { tempDir } from "./temp-dir.ts";

/** A script with the word `up` needs the higher tier. */
export function classify(script: string) {
  const offset = script.search(/\bup\b/);
  if (offset === -1) return { tier: 0, commands: [], reasons: [] } as const;
  const reasons = [{ command: "up", why: "it is up there", line: 1, column: offset + 1, offset }];
  return { tier: 1, commands: ["up"], reasons } as const;
}

/** A factory that counts what it opened and what was disposed of. */
export function counted(factory: HarnessSandboxFactory = justBashSandbox()) {
  const count = { asked: 0, opened: 0, disposed: 0 };
  const counting: HarnessSandboxFactory = async (create) => {
    count.asked++;
    const sandbox = await factory(create);
    count.opened++;
    const counted: HarnessSandbox = {
      exec: (...given) => sandbox.exec(...given),
      fs: sandbox.fs,
      isolation: () => sandbox.isolation(),
      dispose: () => {
        count.disposed++;
        return sandbox.dispose();
      },
      [Symbol.asyncDispose]: () => sandbox.dispose(),
    };
    return counted;
  };
  return { factory: counting, count };
}

export async function openTiers(
  options: TieredSandboxOptions = {},
  create: Partial<CreateSandboxOptions> = {},
) {
  const directory = tempDir();
  const events: HarnessEvent[] = [];
  const tier0 = counted();
  const tier1 = counted();
  const sandbox = await tieredSandbox({
    tier0: tier0.factory,
    nextTier: tier1.factory,
    classify,
    tripWires: ["git"],
    ...options,
  })({
    workspace: {
      mounts: [{ path: "/w", backingPath: directory, access: "rw", tracked: true }],
      cwd: "/w",
      capabilities: { python: false, javascript: true },
    },
    emit: (event) => events.push(event),
    ...create,
  });
  onTestFinished(() => sandbox.dispose());
  return { sandbox, directory, events, tier0: tier0.count, tier1: tier1.count };
}

/** One line an event: its type, and what tells where and how. */
export function told(events: readonly HarnessEvent[]): string[] {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  return events.map((event) => {
    const tier = "tier" in event && event.tier !== undefined ? ` in ${event.tier}` : "";
    const path = "path" in event ? ` ${event.path} ${event.source}` : "";
    const command = "command" in event ? ` ${event.command}` : "";
    const code = "exitCode" in event ? ` ${event.exitCode}` : "";
    return `${event.type.replace("harness.", "").replace("runtime.command.", "")}${command}${path}${code}${tier}`;
  });
}

export const REFUSED = { exitCode: 126, stdout: "", ending: { kind: "refused", by: "tier" } };
