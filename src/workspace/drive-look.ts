import type { Look } from "./tree-index.ts";

/** Runs a look to its end, or until it may stop, letting others run at each of its pauses. */
export async function driveLook(look: Look, mayStop: () => boolean): Promise<void> {
  for (;;) {
    if (look.next().done) return;
    if (mayStop()) {
      look.return();
      return;
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
