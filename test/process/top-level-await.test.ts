/** A script of JavaScript that ends in an `await`, as the first that a worker runs: QuickJS reads it as a module. */
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";

const tools = { note: { execute: () => 1 } };

test.each(["await tools.note({})", "await tools.note({}) ", "await Promise.resolve(5)"])(
  "%s ends well in a fresh worker",
  async (script) => {
    const { sandbox } = await openForTest({ tools });
    const { exitCode, stderr } = await sandbox.exec('js-exec -c "$1"', { args: [script] });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  },
);
