/** `subprocessSandbox()` passes the suite that authors of others are given; here the part that needs a real child. */
import { sandboxSuite } from "../../src/conformance.ts";
import { subprocess } from "../fixtures/subprocess-suite.ts";
import { prove } from "../helpers/prove.ts";

const TRACES = ["files that commands change", "tool calls"];

// One at a time: the hook ends the one worker that there is.
prove(sandboxSuite(subprocess), {
  only: ({ group, name }) =>
    (group === "trace" && TRACES.some((trace) => name.endsWith(trace))) || /\bdie[sd]\b/.test(name),
});
