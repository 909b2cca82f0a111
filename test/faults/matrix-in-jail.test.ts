/** The columns of the fault matrix that reach a worker through the jail around it. */
import { test } from "vitest";
import { noNamespace } from "../helpers/rungs.ts";
import { testColumns } from "./columns.ts";

if (noNamespace === null) testColumns("namespace", ["kill", "stop", "memory"]);
else test.skip(`the fault matrix on the rung namespace: ${noNamespace}`, () => undefined);
