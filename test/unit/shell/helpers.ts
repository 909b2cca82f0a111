/** A runtime over an executor written in the test: that is what the port is for. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { HarnessEvent } from "../../../src/shared/events.ts";
import type { Execute, ExecuteInput, ExecuteOutput } from "../../../src/shared/executor.ts";
import type { HarnessSandbox } from "../../../src/shared/sandbox.ts";
import type { HarnessTools } from "../../../src/shared/tools.ts";
import type { HarnessMount, HarnessWorkspaceSpec } from "../../../src/shared/workspace-spec.ts";
import { createShellRuntime, type ShellRuntimeOptions } from "../../../src/shell/shell-runtime.ts";
import { createRuntimeToolBridge } from "../../../src/tools/tool-bridge.ts";

export const exited = (stdout: string | Uint8Array = "", exitCode = 0): ExecuteOutput => ({
  exitCode,
  stdout,
  stderr: "",
});

export interface TestRuntime {
  readonly sandbox: HarnessSandbox;
  readonly events: HarnessEvent[];
  /** Host directory of the tracked mount `/session`. */
  readonly root: string;
  types(): string[];
  ofType<Type extends HarnessEvent["type"]>(type: Type): (HarnessEvent & { type: Type })[];
}

type Steps = Readonly<Record<string, Execute>>;

/** A temporary directory that goes away with the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "shell-runtime-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** `execute` is a function, or functions by command. `/session` is tracked, `/plain` is not, `/docs` is ro. */
export async function runtimeOver(
  execute: Execute | Steps,
  options: Partial<ShellRuntimeOptions> & { readonly tools?: HarnessTools } = {},
): Promise<TestRuntime> {
  const base = await temporaryDirectory();
  const mount = async (
    name: string,
    rest: Pick<HarnessMount, "access" | "tracked">,
  ): Promise<HarnessMount> => {
    const backingPath = path.join(base, name);
    await mkdir(backingPath);
    return { path: `/${name}`, backingPath, ...rest };
  };
  const workspace: HarnessWorkspaceSpec = {
    mounts: [
      await mount("session", { access: "rw", tracked: true }),
      await mount("plain", { access: "rw", tracked: false }),
      await mount("docs", { access: "ro", tracked: true }),
    ],
    cwd: "/session",
    capabilities: { python: true, javascript: true },
  };
  const events: HarnessEvent[] = [];
  const { tools, ...rest } = options;
  const sandbox = createShellRuntime({
    workspace,
    ...(tools && { toolBridge: createRuntimeToolBridge({ tools, toolContext: null }) }),
    emit: (event) => {
      events.push(event);
    },
    execute: typeof execute === "function" ? execute : byCommand(execute),
    ...rest,
  });
  onTestFinished(() => sandbox.dispose());
  return {
    sandbox,
    events,
    root: path.join(base, "session"),
    types: () => events.map((event) => event.type.replace("harness.", "")),
    ofType: <Type extends HarnessEvent["type"]>(type: Type) =>
      events.filter((event): event is HarnessEvent & { type: Type } => event.type === type),
  };
}

function byCommand(steps: Steps): Execute {
  return async (input) => {
    const step = steps[input.command];
    if (step === undefined) throw new Error(`no step for ${input.command}`);
    return await step(input);
  };
}

/** Never ends by itself; ends as killed when it is told to stop. */
export function untilStopped(input: ExecuteInput): Promise<ExecuteOutput> {
  return new Promise((resolve) => {
    const end = () =>
      resolve({ exitCode: 137, stdout: "", stderr: "", ending: { kind: "killed", by: "abort" } });
    if (input.signal.aborted) end();
    else input.signal.addEventListener("abort", end, { once: true });
  });
}

/** A promise with its ends outside. */
export function signalOf<T = void>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
