/** Results of tools up to what `js-exec` takes, in the worker and in the host's process. */
import { expect, test } from "vitest";
import { openSandbox } from "../../src/index.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const tools = {
  text: { description: "So many letters.", execute: async (length: unknown) => "x".repeat(Number(length)) },
  echo: { description: "Its text.", execute: async (text: unknown) => text },
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

test.each(["subprocess", "just-bash"] as const)(
  "%s: long text of every width goes there and back, and to the output, as it is",
  { timeout: 60_000 },
  async (sandbox) => {
    const opened = await openSandbox({ mounts: { "/work": tempDir() }, sandbox, tools, toolContext: null });
    const patterns = ["0123456789", "ä", "€", "😀", 'x\\"\n', "0123456789ä"];
    const code = `
      for (const pattern of ${JSON.stringify(patterns)})
        for (const times of [1, 102, 103, 400, 30_000]) {
          const text = pattern.repeat(times);
          if ((await tools.echo(text)) !== text) console.log("another text", pattern, times);
          process.stdout.write(text);
        }`;
    const { stdout, stderr, exitCode } = await opened.exec('js-exec -c "$1"', {
      args: [code],
      maxOutputBytes: 8_000_000,
    });
    const expected = patterns
      .flatMap((pattern) => [1, 102, 103, 400, 30_000].map((times) => pattern.repeat(times)))
      .join("");
    expect([exitCode, stderr, stdout.length, stdout === expected]).toEqual([0, "", expected.length, true]);
    await opened.dispose();
  },
);
