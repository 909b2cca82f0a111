import { expect, test } from "vitest";
import { breach, findBreaches, importsOf } from "../../build/import-rules.ts";

test("every import in src/ is one that its folder may have", () => {
  expect(findBreaches()).toEqual([]);
});

test.each([
  ["parent/spawn-worker.ts", "../worker/main.ts"],
  ["shared/errors.ts", "../workspace/mount-fs.ts"],
  ["shared/errors.ts", "node:path"],
  ["protocol/frame.ts", "node:buffer"],
  ["protocol/frame.ts", "../shared/errors.ts"],
  ["protocol/frame.ts", "msgpackr"],
  ["protocol/frame.ts", "msgpackr/index-no-eval"],
  ["worker/serve.ts", "just-bash"],
  ["worker/serve.ts", "node:child_process"],
  ["shell/shell-runtime.ts", "execa"],
  ["index.ts", "./worker/main.ts"],
  ["tools/tool-bridge.ts", "../index.ts"],
  ["nowhere/a.ts", "../shared/errors.ts"],
  ["tools/tool-bridge.ts", "left-pad"],
  ["tools/tool-bridge.ts", "../../build/paths.ts"],
])("%s may not import %s", (file, specifier) => {
  expect(breach(file, { specifier, typeOnly: false })).not.toBeNull();
});

test("the in-process adapter may name the engine's types, and not load its code", () => {
  expect(breach("in-process/a.ts", { specifier: "../engine/port.ts", typeOnly: true })).toBeNull();
  expect(breach("in-process/a.ts", { specifier: "../engine/port.ts", typeOnly: false })).not.toBeNull();
});

test("all forms of import are seen, and text that only looks like one is not", () => {
  const text = `
    import a, { type B } from "./a.ts";
    import type {
      C,
    } from "./b.ts";
    import "./c.ts";
    export * from "./d.ts";
    export type { E } from "./e.ts";
    const f = await import("./f.ts");
    type G = typeof import("./g.ts");
    // import x from "./comment.ts";
    /* import x from "./block.ts"; */
    const text = 'import x from "./string.ts"';
    export const name = "value";
    export function quoted() { return "from"; }
  `;
  expect(importsOf(text)).toEqual([
    { specifier: "./a.ts", typeOnly: false },
    { specifier: "./b.ts", typeOnly: true },
    { specifier: "./c.ts", typeOnly: false },
    { specifier: "./d.ts", typeOnly: false },
    { specifier: "./e.ts", typeOnly: true },
    { specifier: "./f.ts", typeOnly: false },
    { specifier: "./g.ts", typeOnly: true },
  ]);
});
