/** Our own sandboxes, and one elsewhere, pass the suite that authors of others are given. */
import { afterAll } from "vitest";
import { sandboxSuite } from "../../src/conformance.ts";
import { justBashSandbox } from "../../src/index.ts";
import { callTool, remoteBashSandbox } from "../fixtures/remote-bash/remote-bash-sandbox.ts";
import { startServer } from "../fixtures/remote-bash/server.ts";
import { LATE_MS, prove } from "../helpers/prove.ts";

const server = await startServer();
afterAll(() => server.close());

prove(sandboxSuite({ name: "justBashSandbox", create: justBashSandbox(), lateMs: LATE_MS }));

prove(
  sandboxSuite({
    name: "real bash behind a socket",
    ...remoteBashSandbox(server.path),
    callTool,
    // It runs on this host, with no jail around it.
    capabilities: { mountPaths: false, confinement: false },
    lateMs: LATE_MS,
  }),
  { concurrency: 8 },
);
