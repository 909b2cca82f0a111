/**
 * One project per folder of `test/`. Those that need the built package build it first when it is stale; unit
 * and property tests run from the sources alone. `VITEST_JSON=file` adds a JSON report.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { computeBuildId } from "./build/build-id.ts";
import { root } from "./build/paths.ts";

const FROM_SOURCES = ["unit", "property", "canary"];
/** Files that share a process with others of theirs: a third of the time went into loading the same modules again. */
const SHARE_A_PROCESS = [...FROM_SOURCES, "contract", "hostile", "postgres"];
/** Support for the tests, not tests. */
const NOT_PROJECTS = ["fixtures", "helpers", "types"];

/** Left out of `npm test`, which must stay below ten minutes: `npm run test:slow` runs them. */
export const SLOW = [
  "test/contract/broken-adapters-whole.test.ts",
  "test/contract/conformance-whole.test.ts",
  "test/contract/same-results-files-others.test.ts",
  "test/contract/same-results-guests.test.ts",
  "test/contract/same-results-language-others.test.ts",
  "test/contract/same-results-programs.test.ts",
  "test/contract/same-results-text-others.test.ts",
  "test/contract/tasks-here.test.ts",
  "test/contract/tasks-others.test.ts",
  "test/contract/toolchain.test.ts",
  "test/faults/matrix-in-jail.test.ts",
  "test/faults/matrix-of-kills.test.ts",
  "test/faults/matrix-of-workers.test.ts",
  "test/faults/session-log-killed-server.test.ts",
  "test/faults/session-log-kills.test.ts",
  "test/faults/turn-matrix.test.ts",
  "test/hostile/crowds.test.ts",
  "test/package/bundling.test.ts",
  "test/package/same-bytes.test.ts",
  "test/postgres/crash-under-load.test.ts",
  "test/postgres/crowds.test.ts",
  "test/process/bridge-waits.test.ts",
  "test/process/capacity.test.ts",
  "test/process/change-journal.test.ts",
  "test/process/changes-property.test.ts",
  "test/process/classify-and-trip-wires.test.ts",
  "test/process/conformance-whole.test.ts",
  "test/process/content.test.ts",
  "test/process/data-dir-crowd.test.ts",
  "test/process/doctor.test.ts",
  "test/process/full-disk.test.ts",
  "test/process/guest-view.test.ts",
  "test/process/large-tool-results.test.ts",
  "test/process/links-and-special-files.test.ts",
  "test/process/memory-hogs.test.ts",
  "test/process/nesting.test.ts",
  "test/process/orchestration-crowds.test.ts",
  "test/process/other-nodes.test.ts",
  "test/process/redirections-others.test.ts",
  "test/process/run-kills-whole.test.ts",
  "test/process/rungs.test.ts",
  "test/process/toolchain-endings.test.ts",
  "test/process/top-level-await.test.ts",
  "test/process/worker-leftovers.test.ts",
  "test/soak/soak.test.ts",
];

const folders = readdirSync(join(root, "test"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !NOT_PROJECTS.includes(entry.name))
  .map(({ name }) => name)
  .sort();

// In the environment of every test process from its first moment, where tests let a guest look for it.
process.env.HARNESS_TEST_SECRET = "planted-5b1e77";

const jsonFile = process.env.VITEST_JSON;

export default defineConfig({
  // Sources under test and the built worker are one build to each other.
  define: { __BUILD_ID__: JSON.stringify(computeBuildId()) },
  test: {
    pool: "forks",
    // One more than the cores of the smallest machine that this is run on: many a test waits for a deadline or a child.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: jsonFile ? ["default", "json"] : ["default"],
    ...(jsonFile ? { outputFile: { json: jsonFile } } : {}),
    projects: [
      ...folders.map((name) => ({
        extends: true as const,
        test: {
          name,
          include: [`test/${name}/**/*.test.ts`],
          exclude: SLOW,
          isolate: !SHARE_A_PROCESS.includes(name),
          globalSetup: [
            ...(FROM_SOURCES.includes(name) ? [] : ["build/build-for-tests.ts"]),
            ...(name === "postgres" ? ["test/helpers/postgres-for-tests.ts"] : []),
          ],
        },
      })),
      {
        extends: true,
        test: {
          name: "types",
          include: [],
          typecheck: { enabled: true, only: true, include: ["test/types/**/*.test-d.ts"] },
        },
      },
    ],
  },
});
