/** The engine's defense-in-depth as its option takes it; `false`: off. */
export type DefenseInDepth =
  | false
  | { readonly enabled: true; readonly processLifetimeIntrinsicHardening: true };

/**
 * Which defenses the engine runs with, by adapter. In a process of its own they are on and for its whole life:
 * stronger and cheaper than the engine's scoped default, and impossible to undo. In the host's process they are
 * off, because they would patch the globals of the host application.
 */
export function defenseInDepthForAdapter(adapter: "subprocess" | "just-bash"): DefenseInDepth {
  return adapter === "subprocess" ? { enabled: true, processLifetimeIntrinsicHardening: true } : false;
}
