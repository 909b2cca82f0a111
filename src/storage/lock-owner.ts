/** Who holds a lease lock, as it stands in the claim's own file. */
import type { ProcessIdentity } from "./process-identity.ts";

/** What the owner of a lock writes down about itself. */
export interface LockOwner extends ProcessIdentity {
  /** Unique per claim, and the name of its staging directory. */
  readonly claim: string;
  /** Who, for people. */
  readonly label: string;
  readonly leaseMs: number;
  /** Since the epoch, by the owner's clock. */
  readonly renewedAtMs: number;
}

/** What an owner wrote; undefined for anything else. */
export function parseOwner(text: string): LockOwner | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // As for every other text that no owner wrote.
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { claim, label, leaseMs, renewedAtMs, pid, start, place } = value as Record<string, unknown>;
  if (typeof claim !== "string" || typeof label !== "string") return undefined;
  if (typeof leaseMs !== "number" || typeof renewedAtMs !== "number" || typeof pid !== "number")
    return undefined;
  if (!isTextOrNull(start) || !isTextOrNull(place)) return undefined;
  return { claim, label, leaseMs, renewedAtMs, pid, start, place };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
