import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmitEvent } from "../shared/events.ts";
import type { HarnessSandbox } from "../shared/sandbox.ts";
import { nameArgument } from "./name-argument.ts";
import type { ExecInvocation } from "./parse-args.ts";
import { toOpenMounts } from "./sandbox-options.ts";

/** A sandbox for one command line, and what must be called when it is over. */
export interface OpenedForExec {
  readonly sandbox: HarnessSandbox;
  /** Disposes of the sandbox and removes the workspace that was made for it. */
  close(): Promise<void>;
}

/** Opens the sandbox that the options ask for. Without mounts: an empty directory of its own at `/workspace`. */
export async function openForExec(invocation: ExecInvocation, onEvent: EmitEvent): Promise<OpenedForExec> {
  const { openSandbox } = await import("../sandbox/open-sandbox.ts");
  const { mounts } = invocation;
  const own = mounts.length === 0 ? await mkdtemp(join(tmpdir(), "little-harness-")) : undefined;
  const removeOwn = async (): Promise<void> => {
    if (own !== undefined) await rm(own, { recursive: true, force: true });
  };
  try {
    const sandbox = await openSandbox({
      mounts: own === undefined ? toOpenMounts(mounts) : { "/workspace": own },
      ...(invocation.cwd === undefined ? {} : { cwd: invocation.cwd }),
      sandbox: invocation.sandbox,
      runtime: { python: invocation.python, javascript: invocation.javascript },
      onEvent,
    });
    return {
      sandbox,
      close: async () => {
        await sandbox.dispose();
        await removeOwn();
      },
    };
  } catch (error) {
    await removeOwn();
    throw nameArgument(error, mounts);
  }
}
