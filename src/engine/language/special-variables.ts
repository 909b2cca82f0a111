/** Variables that have a value by themselves. The engine knows no seed, no epoch and no assignment to `SECONDS`. */

/** What of the interpreter's state they need; `randomSeed` is ours. */
export interface SpecialState {
  readonly env: Map<string, string>;
  startTime: number;
  randomSeed?: number;
}

/** `BASH_VERSINFO`, beside the engine's `BASH_VERSION`. */
export const BASH_VERSINFO: readonly string[] = ["5", "1", "0", "1", "release", "x86_64-pc-linux-gnu"];

/** The value of such a variable, or `null` for another name. An assignment to it lies in `env` until it is read. */
export function specialVariable(state: SpecialState, name: string): string | null {
  switch (name) {
    case "RANDOM":
      return String(nextRandom(state));
    case "SRANDOM":
      return String(Math.floor(Math.random() * 2 ** 32));
    case "SECONDS": {
      const assigned = state.env.get("SECONDS");
      if (assigned !== undefined) {
        state.startTime = Date.now() - (Number.parseInt(assigned, 10) || 0) * 1000;
        state.env.delete("SECONDS");
      }
      return String(Math.floor((Date.now() - state.startTime) / 1000));
    }
    case "EPOCHSECONDS":
      return String(Math.floor(Date.now() / 1000));
    case "EPOCHREALTIME": {
      const now = Date.now();
      return `${Math.floor(now / 1000)}.${String((now % 1000) * 1000).padStart(6, "0")}`;
    }
    default:
      return null;
  }
}

/** bash's generator (Park and Miller): the same seed gives the same numbers. */
function nextRandom(state: SpecialState): number {
  const assigned = state.env.get("RANDOM");
  if (assigned !== undefined) {
    state.randomSeed = (Number.parseInt(assigned, 10) || 0) >>> 0;
    state.env.delete("RANDOM");
  }
  const last = state.randomSeed ?? Math.floor(Math.random() * 2 ** 31);
  const from = last === 0 ? 123_459_876 : last;
  const high = Math.trunc(from / 127_773);
  const next = 16_807 * (from - 127_773 * high) - 2836 * high;
  const seed = next < 0 ? next + 0x7fff_ffff : next;
  state.randomSeed = seed;
  return ((seed >>> 16) ^ (seed & 0xffff)) & 0x7fff;
}
