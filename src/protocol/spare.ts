/** How a worker is told that it waits ahead of need, and what for. */

/** What a spare's last argument begins with, that of compiled code apart; the JSON of a `SpareKind` or `null` follows. */
export const SPARE_ARGUMENT = "--spare=";

/** What is known of the sandbox that a spare will get: what its engine is built from, and nothing of a workspace. */
export interface SpareKind {
  readonly python: boolean;
  readonly javascript: boolean;
  readonly tools: boolean;
  readonly executionLimits: Readonly<Record<string, number>>;
}
