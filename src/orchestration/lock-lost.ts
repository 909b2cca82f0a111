/** What a store of ours says to an owner whose lock has gone to another. */
import type { StoreLock } from "../shared/durable-store.ts";
import { SandboxError } from "../shared/errors.ts";

export function lockLost({ name, token }: Pick<StoreLock, "name" | "token">): SandboxError {
  return new SandboxError("LOCK_LOST", `The lock ${name} is no longer held with token ${token}.`, {
    name,
    token,
  });
}
