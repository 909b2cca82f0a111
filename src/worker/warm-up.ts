/**
 * A worker that was started ahead of need uses the wait: it rehearses, so that its first command finds all in use, and
 * then makes what a sandbox needs and nobody has to be asked for.
 */
import type { SpareKind } from "../protocol/spare.ts";
import type { loadEngine } from "./load-engine.ts";
import {
  type PreparedWorkspace,
  prepareWorkspace,
  type TakePrepared,
  toEngineKind,
} from "./prepare-workspace.ts";
import { rehearse } from "./rehearse.ts";

/** The second finds in use what the first has compiled. Two more took 1.2 MB and nothing off a first command. */
const TIMES = 2;

/** @param spare what it waits for; `undefined`: it is needed at once */
export function warmUp(
  engine: ReturnType<typeof loadEngine>,
  spare: SpareKind | null | undefined,
): TakePrepared {
  if (spare === undefined) return async () => null;
  const own = spare === null ? null : toEngineKind({ ...spare, network: null });
  let asked = false;
  const prepare = async (): Promise<PreparedWorkspace | null> => {
    const loaded = await engine;
    for (let count = 0; count < TIMES && !asked; count++) {
      await rehearse(engine);
      // A question that has arrived meanwhile is heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return own === null ? null : prepareWorkspace(loaded, own);
  };
  // What is wrong here is wrong in the workspace's own shell too, and told there.
  const underWay = prepare().catch(() => null);
  return async (kind) => {
    asked = true;
    const prepared = await underWay;
    if (prepared === null || JSON.stringify(kind) === JSON.stringify(own)) return prepared;
    prepared.shell.close();
    await prepared.shell.ended;
    return null;
  };
}
