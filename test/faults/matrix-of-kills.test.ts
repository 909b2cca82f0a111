/** The columns of the fault matrix in which a worker is killed or stopped from outside, or takes too much memory. */
import { testColumns } from "./columns.ts";

testColumns("process", ["kill", "stop", "memory"]);
