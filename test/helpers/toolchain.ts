import { localToolchainSandbox, openSandbox, type ToolchainOptions } from "../../src/index.ts";
import { openForTest } from "./open.ts";

/** Why no toolchain can be opened here; `null` when one can. */
export const noToolchain: string | null = await openSandbox({
  mounts: { "/w": "." },
  cwd: "/w",
  sandbox: localToolchainSandbox(),
}).then(
  async (sandbox) => {
    await sandbox.dispose();
    return null;
  },
  (error: unknown) => (error instanceof Error ? error.message : String(error)),
);

/** For the names of tests: why they are skipped. */
export const note = noToolchain === null ? "" : ` (not tried: ${noToolchain})`;

/** As `openForTest`, over the machine's own programs. */
export function openToolchainForTest(
  toolchain: ToolchainOptions = {},
  options: Parameters<typeof openForTest>[0] = {},
): ReturnType<typeof openForTest> {
  return openForTest({ sandbox: localToolchainSandbox(toolchain), ...options });
}
