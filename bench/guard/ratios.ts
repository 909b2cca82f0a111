/** A few rows of the table, in fewer rounds. */
import { openSandbox } from "../built.ts";
import { measurePairs, timed } from "../measure.ts";
import { withOutputs } from "../rows/output.ts";
import { ONE_BY_ONE, withToolSandboxes } from "../rows/tools.ts";
import { withDirectory } from "../scratch.ts";

export async function warmRatio(): Promise<number> {
  return await withDirectory(async (directory) => {
    const mounts = { "/work": directory };
    await using inWorker = await openSandbox({ mounts, sandbox: "subprocess" });
    await using inProcess = await openSandbox({ mounts, sandbox: "just-bash" });
    const run = (sandbox: typeof inWorker) => () => timed(() => sandbox.exec("true"));
    const { ratio } = await measurePairs(run(inWorker), run(inProcess), { rounds: 200, warmups: 200 });
    return ratio.p50;
  });
}

export async function toolsRatio(): Promise<number> {
  return await withToolSandboxes(async ({ worker, inProcess }) => {
    const { script } = ONE_BY_ONE;
    const { ratio } = await measurePairs(worker(script), inProcess(script), { rounds: 3, warmups: 1 });
    return ratio.p50;
  });
}

export async function outputRatio(): Promise<number> {
  return await withOutputs(async (measure) => {
    const bytes = 10 * 1024 * 1024;
    const growthMb = { sandbox: 0, pipe: 0 };
    const { ratio } = await measure(`cat ${bytes}`, bytes, { rounds: 5, warmups: 1 }, growthMb);
    return ratio.p50;
  });
}
