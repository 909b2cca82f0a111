/** The worker process: the order in which it is wired, and no logic. */

import { makeNeutral } from "./neutral-process.ts";
import { original } from "./originals.ts";
import { takeStdio } from "./take-stdio.ts";

const wire = takeStdio();
makeNeutral();
const { connect } = await import("./connect.ts");
// Beside the built main.js, not beside the chunk that starts it.
connect(wire, new URL("./lifeline.js", import.meta.url), () => original.exit(0));
