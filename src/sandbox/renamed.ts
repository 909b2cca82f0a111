/** Names of an earlier version: each throws an error that says the new one. */
import { SandboxError } from "../shared/errors.ts";

/** @deprecated `localHost({ sandbox })` and `subprocessSandbox()` replace it. @throws SandboxError `RENAMED` */
export function executionEnvironment(): never {
  return renamed("executionEnvironment", "sandbox (a mode or a factory such as subprocessSandbox())");
}

/** @deprecated `tieredSandbox()` replaces it. @throws SandboxError `RENAMED` */
export function tieredExecutionEnvironment(): never {
  return renamed("tieredExecutionEnvironment", "tieredSandbox");
}

/** @deprecated `createShellRuntime()` replaces it. @throws SandboxError `RENAMED` */
export function createJustBashRuntime(): never {
  return renamed("createJustBashRuntime", "createShellRuntime (from @little-stack/harness/sandbox)");
}

function renamed(before: string, now: string): never {
  throw new SandboxError("RENAMED", `"${before}" is now ${now}.`, { before, now });
}
