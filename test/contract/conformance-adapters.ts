/** The sandboxes of ours that run the suite in this process, and one elsewhere: each by its name. */
import type { SandboxSuiteOptions } from "../../src/conformance.ts";
import { justBashSandbox, tieredSandbox } from "../../src/index.ts";
import { callTool, remoteBashSandbox } from "../fixtures/remote-bash/remote-bash-sandbox.ts";
import { LATE_MS } from "../helpers/prove.ts";

/** No jail is around the remote bash, which runs on this host. */
const UNCONFINED = { mountPaths: false, confinement: false };

export const justBash: SandboxSuiteOptions = {
  name: "justBashSandbox",
  create: justBashSandbox(),
  lateMs: LATE_MS,
};

export function remoteBash(server: string): SandboxSuiteOptions {
  const remote = remoteBashSandbox(server);
  return {
    name: "real bash behind a socket",
    ...remote,
    callTool,
    capabilities: UNCONFINED,
    lateMs: LATE_MS,
  };
}

/** Nothing of the suite needs the higher tier: all of it runs in tier 0. */
export function tieredBelow(server: string): SandboxSuiteOptions {
  const { create } = remoteBashSandbox(server);
  return {
    name: "tieredSandbox, in tier 0",
    create: tieredSandbox({ tier0: justBashSandbox(), nextTier: create }),
    lateMs: LATE_MS,
  };
}

/** Every command needs the higher tier. */
export function tieredAbove(server: string): SandboxSuiteOptions {
  const { create } = remoteBashSandbox(server);
  return {
    name: "tieredSandbox, in the higher tier",
    create: tieredSandbox({
      tier0: justBashSandbox(),
      nextTier: create,
      classify: () => ({ tier: 1, commands: ["all"], reasons: [] }),
    }),
    callTool,
    capabilities: UNCONFINED,
    lateMs: LATE_MS,
  };
}
