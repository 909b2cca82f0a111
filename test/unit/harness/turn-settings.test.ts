import { expect, test } from "vitest";
import { createHarness } from "../../../src/harness/create-harness.ts";
import type { HarnessOptions, HarnessTurnOptions } from "../../../src/harness/harness-options.ts";
import { decideTurn, joinLevels } from "../../../src/harness/turn-settings.ts";

const host = { prepareTurn: () => Promise.reject(new Error("not asked for here")) };

function decide(ofHarness: Partial<HarnessOptions>, ofCall: Partial<HarnessTurnOptions>) {
  const harness = createHarness({ host, model: "some/model", ...ofHarness });
  return decideTurn({ harness, prompt: "hello", ...ofCall });
}

test("without options a turn has bash, 20 steps, 16 KiB of a tool's output and no tools", () => {
  const turn = decide({}, {});
  expect(turn).toMatchObject({
    bash: {},
    maxSteps: 20,
    maxInlineBytes: 16_384,
    tools: {},
    toolContext: null,
  });
  expect(turn.request).toEqual({ prompt: "hello" });
  expect(turn.prepare).not.toHaveProperty("tools");
});

test("what the call says goes before what the harness says", () => {
  const a = { execute: () => 1 };
  const turn = decide(
    { system: "one", maxSteps: 5, temperature: 0, tools: { a, b: a }, runtime: { python: false }, seed: 1 },
    { system: "two", temperature: 1, tools: { a }, runtime: { javascript: false }, maxSteps: undefined },
  );
  expect(turn.maxSteps).toBe(5);
  expect(turn.request).toEqual({ system: "two", prompt: "hello", temperature: 1, seed: 1 });
  expect(turn.tools).toEqual({ a });
  expect(turn.prepare.runtime).toEqual({ python: false, javascript: false });
});

test("a level of the trace that neither sets is left to the host", () => {
  expect(joinLevels(undefined, undefined)).toBeUndefined();
  expect(joinLevels({ output: true }, { command: false })).toEqual({ output: true, command: false });
  expect(joinLevels("full", { command: false })).toMatchObject({ command: false, output: true });
});

test("a call cannot switch off what the harness hides", () => {
  const level = joinLevels(
    { redact: (text) => text.replace("key", "***") },
    { redact: (text) => `<${text}>` },
  );
  expect(typeof level === "object" && level.redact?.("a key", "command")).toBe("<a ***>");
});
