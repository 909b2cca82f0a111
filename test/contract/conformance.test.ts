/** Our own sandboxes, and one elsewhere, pass the suite that authors of others are given; in part, for its time. */
import { afterAll } from "vitest";
import { type ConformanceCase, sandboxSuite } from "../../src/conformance.ts";
import { startServer } from "../fixtures/remote-bash/server.ts";
import { prove } from "../helpers/prove.ts";
import { justBash, remoteBash, tieredAbove } from "./conformance-adapters.ts";

const server = await startServer();
afterAll(() => server.close());

const isTrace = ({ group }: ConformanceCase): boolean => group === "trace";

prove(sandboxSuite(justBash), { concurrency: 3, only: ({ group }) => group !== "contract" });
prove(sandboxSuite(remoteBash(server.path)), { concurrency: 8, only: isTrace });
prove(sandboxSuite(tieredAbove(server.path)), { concurrency: 8, only: isTrace });
