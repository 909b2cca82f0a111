/** The columns of the fault matrix in which a worker goes on in a way that it should not. */
import { testColumns } from "./columns.ts";

testColumns("process", [
  "busy loop",
  "torn frame, then its end",
  "torn frame, then more",
  "closed output",
  "closed input",
  "slow reader",
]);
