import type { HarnessSandboxFactory } from "../shared/sandbox.ts";
import { resolveToolchainOptions, type ToolchainOptions } from "./toolchain-options.ts";

/**
 * A factory of sandboxes that run scripts with this machine's own bash, git, node, python and compilers, in a
 * bubblewrap jail over the mounts (Linux). Scripts cannot call tools: a real program has no bridge to the host.
 *
 * @throws SandboxError `OPTION_INVALID` for an unknown option or a bad value. The factory rejects with
 * `ISOLATION_UNAVAILABLE` where no such jail can be made, saying why, and with `WORKSPACE_INVALID`.
 */
export function localToolchainSandbox(options: ToolchainOptions = {}): HarnessSandboxFactory {
  const resolved = resolveToolchainOptions(options);
  return async (create) => {
    const { openToolchain } = await import("./toolchain/open-toolchain.ts");
    return await openToolchain(resolved, create);
  };
}
