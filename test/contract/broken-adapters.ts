import { afterAll, expect, test } from "vitest";
import { formatReport, runSuite, sandboxSuite } from "../../src/conformance.ts";
import { BROKEN_ADAPTERS, type BrokenAdapter } from "../fixtures/broken-adapters.ts";
import { callTool, remoteBashSandbox } from "../fixtures/remote-bash/remote-bash-sandbox.ts";
import { startServer } from "../fixtures/remote-bash/server.ts";
import { LATE_MS } from "../helpers/prove.ts";

/** One test per broken adapter: of the cases that `only` picks, those fail that name its fault, and no others. */
export async function expectToBeFound(
  only: (name: string, adapter: BrokenAdapter) => boolean,
): Promise<void> {
  const server = await startServer();
  afterAll(() => server.close());
  test.each(BROKEN_ADAPTERS)(
    "$name fails in the cases that say so, and in no other",
    async (adapter) => {
      const { spoil, wrap, capabilities, fails } = adapter;
      const { create, faults } = remoteBashSandbox(server.path, spoil);
      const suite = sandboxSuite({
        // The hooks know the sandboxes that `create` made, and none that stands around one.
        ...(wrap ? { create: wrap(create) } : { create, faults }),
        callTool,
        capabilities: { mountPaths: false, confinement: false, ...capabilities },
        lateMs: LATE_MS,
      });
      const report = await runSuite(suite, { concurrency: 8, only: ({ name }) => only(name, adapter) });
      expect(
        report.failures.map(({ name }) => name),
        formatReport(report),
      ).toEqual(fails.filter((name) => only(name, adapter)));
      expect(report.passed).toBe(false);
    },
    120_000,
  );
}
