/** The host never makes code out of what a worker sends: it works where making code out of text is off. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { type Liar, type Scenario, toProgram, writeWorker } from "./scenario.ts";

const run = promisify(execFile);

/** As msgpackr writes a record: a definition whose field names a careless reader puts into code. */
const record: Scenario = (liar: Liar) => {
  liar.hello();
  const field = Buffer.from('a"]; process.exit(7); ["');
  const definition = [0xd4, 0x72, 0x40, 0x91, 0xd9, field.length, ...field, 1];
  liar.on("exec", ({ id }) => liar.bytes(liar.resultOf(id, definition)));
};

const constructorKey: Scenario = (liar: Liar) => {
  liar.hello();
  const value = { constructor: { constructor: "return process" } };
  liar.on("exec", ({ id }) => liar.send({ kind: "result", id, value, bodyBytes: 0 }));
};

test("a host that cannot make code out of text runs commands, tools and files, and survives liars", async () => {
  const liars = [record, constructorKey].map((scenario) => writeWorker(toProgram(scenario)));
  const { stdout, stderr } = await run(process.execPath, [
    "--disallow-code-generation-from-strings",
    join(import.meta.dirname, "fixtures/session.mjs"),
    new URL("../../dist/index.js", import.meta.url).href,
    ...liars,
  ]);
  expect(JSON.parse(stdout)).toEqual({
    evaluates: false,
    good: {
      stdout: 'from the host\n{"id":21,"total":42}\n',
      exitCode: 0,
      made: "out\n",
      changed: ["/w/made"],
      hasWalls: true,
    },
    bad: ["0xd4", "constructor"].map((what) => ({
      exitCode: 126,
      ending: { kind: "unknown", why: expect.stringContaining(what) },
    })),
  });
  expect(stderr).toBe("");
});

test("the built host has no place that makes code out of text", async () => {
  const { readdirSync, readFileSync } = await import("node:fs");
  const dist = join(root, "dist");
  for (const name of readdirSync(dist).filter((file) => file.endsWith(".js"))) {
    const found = readFileSync(join(dist, name), "utf8").match(/\bnew Function\b|\bFunction\(|[^.\w]eval\(/g);
    expect([name, found]).toEqual([name, null]);
  }
});
