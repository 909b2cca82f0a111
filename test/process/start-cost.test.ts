import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";

/** Runs in the worker before its main module; tells at the end what Node.js has loaded of its own. */
const TELL_LOADED =
  'import { writeSync } from "node:fs"; process.on("exit", () => writeSync(2, process.moduleLoadList.join("\\n")));';

test("a worker that runs a plain command loads nothing of Node's HTTP client", async () => {
  let diagnostics = "";
  const { sandbox } = await openForTest({
    execArgv: ["--import", `data:text/javascript,${encodeURIComponent(TELL_LOADED)}`],
    onDiagnostic: (text) => {
      diagnostics += text;
    },
  });
  await sandbox.exec("echo a | cat >b");
  await sandbox.dispose();
  const loaded = diagnostics.split("\n");
  expect(loaded).toContain("NativeModule net");
  expect(loaded.filter((line) => /undici|http|tls/.test(line))).toEqual([]);
});
