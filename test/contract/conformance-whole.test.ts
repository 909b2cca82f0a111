/** What `conformance.test.ts` leaves out. */
import { afterAll } from "vitest";
import { sandboxSuite } from "../../src/conformance.ts";
import { startServer } from "../fixtures/remote-bash/server.ts";
import { prove } from "../helpers/prove.ts";
import { justBash, remoteBash, tieredAbove, tieredBelow } from "./conformance-adapters.ts";

const server = await startServer();
afterAll(() => server.close());

prove(sandboxSuite(justBash));
prove(sandboxSuite(remoteBash(server.path)), { concurrency: 8 });
prove(sandboxSuite(tieredBelow(server.path)));
prove(sandboxSuite(tieredAbove(server.path)), { concurrency: 4 });
