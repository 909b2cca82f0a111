import { expect, test } from "vitest";
import { ORDINARY_COMMANDS } from "../../../src/engine/command-names.ts";
import { TIER_ONE_COMMANDS, whyPythonModule, whyTierOne } from "../../../src/tiers/rules.ts";

const names = Object.keys(TIER_ONE_COMMANDS);

test("no command that needs tier 1 is one that tier 0 is known to have", () => {
  // What tier 0 finds when it is asked is in test/package/classify.test.ts.
  expect(names.filter((name) => ORDINARY_COMMANDS.has(name))).toEqual([]);
});

test("each name is there once, as a word that a command can be, with a reason", () => {
  expect(names.length).toBeGreaterThan(300);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9][\w.+-]*$/);
  for (const why of Object.values(TIER_ONE_COMMANDS)) expect(why).toMatch(/^[a-z].{20,}[^.]$/);
});

test("a name with a version counts as the name, and a property of every object is no name", () => {
  expect(whyTierOne("gcc-12")).toBe(TIER_ONE_COMMANDS.gcc);
  expect(whyTierOne("pip3.11")).toBe(TIER_ONE_COMMANDS.pip);
  expect(whyTierOne("git2")).toBeNull();
  for (const name of ["constructor", "toString", "__proto__", "", "python3.11"])
    expect(whyTierOne(name)).toBeNull();
});

test("modules of Python count by their first name", () => {
  expect(whyPythonModule("pip")).toBe(TIER_ONE_COMMANDS.pip);
  expect(whyPythonModule("jupyter.notebook")).toBe(TIER_ONE_COMMANDS.jupyter);
  expect(whyPythonModule("venv")).toContain("Python");
  expect(whyPythonModule("json.tool")).toBeNull();
  expect(whyPythonModule("http.client")).toBeNull();
});
