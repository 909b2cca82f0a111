/** Results of tools up to what `js-exec` takes, in the worker and in the host's process. */
import { expect, test } from "vitest";
import { openSandbox } from "../../src/index.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const tools = {
  text: { description: "So many letters.", execute: async (length: unknown) => "x".repeat(Number(length)) },
};

test.each(["subprocess", "just-bash"] as const)(
  "%s: a script gets 7 MB, more than 8 MiB is an error that it can catch, and the next one runs",
  async (sandbox) => {
    const opened = await openSandbox({ mounts: { "/work": tempDir() }, sandbox, tools, toolContext: null });
    const run = (code: string) => opened.exec('js-exec -c "$1"', { args: [code] });
    expect(await run("console.log((await tools.text(7_000_000)).length)")).toMatchObject({
      exitCode: 0,
      stdout: "7000000\n",
      stderr: "",
    });
    const tooMuch = await run(
      "try { await tools.text(9_000_000) } catch (e) { console.log('caught', e.message) }",
    );
    expect(tooMuch).toMatchObject({ exitCode: 0, stdout: "caught Result too large: 9000002 > 8388608\n" });
    expect(await run("console.log(await tools.text(2))")).toMatchObject({ exitCode: 0, stdout: "xx\n" });
    await opened.dispose();
  },
);
