/**
 * `npm run bench [-- --quick] [--markdown] [--only <group>]` measures the built package and prints the table of
 * goals; `--store` and `--compare` are the guard (`guard/`). A goal that is missed fails nothing: times on a
 * shared machine are for people to judge. Loads what measures late, so that a guard that cannot run says why.
 */
import { parseArgs } from "node:util";

const values = readArguments();

if (values.compare) {
  try {
    const { compareWithBaseline } = await import("./guard/run-guard.ts");
    await compareWithBaseline();
  } catch (error) {
    console.log(`warning: speed was not compared: ${error instanceof Error ? error.message : String(error)}`);
  }
} else if (values.store) {
  const { storeBaseline } = await import("./guard/run-guard.ts");
  await storeBaseline();
} else {
  const { runTable } = await import("./run-table.ts");
  process.exitCode = await runTable(values);
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        quick: { type: "boolean", default: false },
        markdown: { type: "boolean", default: false },
        only: { type: "string", multiple: true, default: [] },
        store: { type: "boolean", default: false },
        compare: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\nSee docs/performance.md.`);
    process.exit(2);
  }
}
