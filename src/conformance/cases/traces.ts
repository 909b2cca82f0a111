/** Each run of `traces.ts` against its reference. */
import { REFERENCE_TRACES } from "../reference-traces.ts";
import type { SandboxCase } from "../stage.ts";
import { TRACE_RUNS, traceOf } from "../traces.ts";

export const traceCases: readonly SandboxCase[] = TRACE_RUNS.map((run) => ({
  name: `the events are those of the reference: ${run.name}`,
  needs: run.needs,
  async run(stage) {
    const came = await traceOf(run, stage);
    const expected = REFERENCE_TRACES[run.name];
    const first = came.findIndex((line, index) => line !== expected[index]);
    const at = first === -1 ? Math.min(came.length, expected.length) : first;
    // The first difference says more than two long lists do.
    stage.check.equal(`event ${at + 1} of ${expected.length}`, came[at], expected[at]);
    stage.check.equal("all events", came, [...expected]);
  },
}));
