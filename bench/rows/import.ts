/** What `import` of the package costs a host, before it opens anything. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../../build/paths.ts";
import { measurePairs, type Sample, timed } from "../measure.ts";
import { measureRow, type RowGroup } from "../row.ts";

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
  const size = { rounds: effort.rounds(60, 10), warmups: 2 };
  const rows = [];
  for (const [name, file] of [
    ["@little-stack/harness", "index.js"],
    ["@little-stack/harness/sandbox", "sandbox.js"],
  ] as const) {
    const what = `a process that does \`import "${name}"\``;
    rows.push(
      await measureRow({ what, against: "one that imports `node:fs`" }, () =>
        measurePairs(run(importing(file)), run('import "node:fs";'), size),
      ),
    );
  }
  return rows;
};
