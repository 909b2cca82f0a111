import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("what code in the worker prints to standard output never reaches the wire or a result", async () => {
  const preload = join(tempDir(), "noise.mjs");
  writeFileSync(
    preload,
    `import fs from "node:fs";
     import { writeSync } from "node:fs";
     setInterval(() => {
       // The guard stands from the first line of the worker on; a preload runs before that.
       if (process.stdout !== process.stderr) return;
       console.log("noise-log");
       process.stdout.write("noise-stream\\n");
       fs.writeSync(1, "noise-default\\n");
       writeSync(1, "noise-named\\n");
     }, 1).unref();`,
  );
  let diagnostics = "";
  const { sandbox } = await openForTest({
    execArgv: ["--import", preload],
    onDiagnostic: (text) => {
      diagnostics += text;
    },
  });
  for (let turn = 0; turn < 50; turn++) {
    expect(await sandbox.exec("printf x")).toMatchObject({ stdout: "x", stderr: "", exitCode: 0 });
  }
  await sandbox.exec("sleep 0.1");
  for (const noise of ["noise-log", "noise-stream", "noise-default", "noise-named"]) {
    expect(diagnostics).toContain(noise);
  }
});

test("Node's own warnings are diagnostics and no part of a result", async () => {
  const { sandbox } = await openForTest();
  expect(await sandbox.exec("js-exec -c 'console.log(1)'")).toMatchObject({ stdout: "1\n", stderr: "" });
});
