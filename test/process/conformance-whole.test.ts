/** `subprocessSandbox()` passes the suite that authors of others are given. */
import { sandboxSuite } from "../../src/conformance.ts";
import { subprocess } from "../fixtures/subprocess-suite.ts";
import { prove } from "../helpers/prove.ts";

prove(sandboxSuite(subprocess));
