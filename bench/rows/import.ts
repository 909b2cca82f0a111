/** What `import` of the package costs a host, before it opens anything. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../../build/paths.ts";
import { measurePairs, type Sample, timed } from "../measure.ts";
import type { RowGroup } from "../row.ts";

/** A process that runs one module and ends. */
function run(program: string): Sample {
  return () =>
    timed(async () => {
      const given = ["--input-type=module", "--eval", program];
      const [code] = await once(spawn(process.execPath, given, { env: {}, stdio: "inherit" }), "exit");
      if (code !== 0) throw new Error(`a process that imports ended with ${code}: ${program}`);
    });
}

const importing = (file: string): string => `import ${JSON.stringify(join(root, "dist", file))};`;

export const importRows: RowGroup = async (effort) => {
  const size = { rounds: effort.rounds(60, 20), warmups: 3 };
  const rows = [];
  for (const [name, file] of [
    ["@little-stack/harness", "index.js"],
    ["@little-stack/harness/sandbox", "sandbox.js"],
  ] as const) {
    rows.push({
      what: `a process that does \`import "${name}"\``,
      against: "one that imports `node:fs`",
      unit: "ms" as const,
      pairs: await measurePairs(run(importing(file)), run('import "node:fs";'), size),
      goal: null,
    });
  }
  return rows;
};
