/** The worker process: the order in which it is wired, and no logic. */

import { loadCore } from "./load-core.ts";
import { makeNeutral } from "./neutral-process.ts";
import { original } from "./originals.ts";
import { readCodeCache } from "./read-code-cache.ts";
import { readSpareKind } from "./read-spare-kind.ts";
import { takeStdio } from "./take-stdio.ts";

const wire = takeStdio();
makeNeutral();
const { connect } = loadCore(import.meta.url, readCodeCache()).worker();
connect(wire, new URL("./lifeline.js", import.meta.url), () => original.exit(0), readSpareKind());
