import { expectTypeOf, test } from "vitest";
import { type ConformanceCase, type runSuite, sandboxSuite } from "../../src/conformance.ts";
import {
  type CommandClassification,
  classifyCommand,
  type HarnessSandbox,
  type HarnessSandboxFactory,
  type HarnessSessionLog as HarnessSessionLogOfRoot,
  type HarnessWorkspaceSpec,
  isSandboxError,
  justBashSandbox,
  localToolchainSandbox,
  openSandbox,
  type SandboxError,
  subprocessSandbox,
  tieredSandbox,
} from "../../src/index.ts";
import { type HarnessSessionLog, memorySessionLog, postgresSessionLog } from "../../src/remote-session.ts";

test("every adapter is a sandbox factory", () => {
  expectTypeOf(subprocessSandbox()).toEqualTypeOf<HarnessSandboxFactory>();
  expectTypeOf(justBashSandbox()).toEqualTypeOf<HarnessSandboxFactory>();
  expectTypeOf(tieredSandbox()).toEqualTypeOf<HarnessSandboxFactory>();
  expectTypeOf(localToolchainSandbox()).toEqualTypeOf<HarnessSandboxFactory>();
});

test("the ten-line way in gives the same sandbox as a factory", () => {
  expectTypeOf(openSandbox).returns.resolves.toEqualTypeOf<HarnessSandbox>();
  expectTypeOf<HarnessSandboxFactory>().returns.resolves.toEqualTypeOf<HarnessSandbox>();
});

test("a sandbox can be declared with await using", () => {
  expectTypeOf<HarnessSandbox>().toExtend<AsyncDisposable>();
});

test("a workspace is plain data that nobody may change", () => {
  expectTypeOf<HarnessWorkspaceSpec["mounts"]>().not.toExtend<unknown[]>();
  expectTypeOf<HarnessWorkspaceSpec["mounts"][number]["access"]>().toEqualTypeOf<"rw" | "ro">();
});

test("an error of ours is known by its guard", () => {
  const error: unknown = undefined;
  if (isSandboxError(error)) expectTypeOf(error).toEqualTypeOf<SandboxError>();
});

test("a case runs with no argument, as any test runner calls it", () => {
  expectTypeOf<Parameters<ConformanceCase["run"]>>().toEqualTypeOf<[]>();
  expectTypeOf(sandboxSuite).returns.toExtend<Parameters<typeof runSuite>[0]>();
});

test("a classification is there at once, and nobody may change it", () => {
  expectTypeOf(classifyCommand).returns.toEqualTypeOf<CommandClassification>();
  expectTypeOf<CommandClassification["commands"]>().not.toExtend<string[]>();
});

test("every session log is of the type that the loop takes", () => {
  expectTypeOf(memorySessionLog).returns.toEqualTypeOf<HarnessSessionLog>();
  expectTypeOf(postgresSessionLog).returns.toEqualTypeOf<HarnessSessionLog>();
  expectTypeOf<HarnessSessionLog>().toEqualTypeOf<HarnessSessionLogOfRoot>();
});
