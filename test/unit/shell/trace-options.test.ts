import { describe, expect, test } from "vitest";
import type { HarnessTraceLevel, TraceField } from "../../../src/shared/trace-options.ts";
import { resolveTraceOptions } from "../../../src/shell/trace-options.ts";
import { exited, runtimeOver } from "./helpers.ts";

const DEFAULTS = { command: true, output: false, toolInput: true, toolResult: false, maxFieldBytes: 16384 };

describe("two levels become one", () => {
  test("without both, the defaults hold", () => {
    expect(resolveTraceOptions(undefined, undefined)).toEqual(DEFAULTS);
    expect(resolveTraceOptions("metadata", undefined)).toEqual(DEFAULTS);
  });

  test("presets switch all four", () => {
    const none = { command: false, output: false, toolInput: false, toolResult: false };
    expect(resolveTraceOptions("none", undefined)).toMatchObject(none);
    expect(resolveTraceOptions("full", undefined)).toMatchObject({
      command: true,
      output: true,
      toolInput: true,
      toolResult: true,
    });
  });

  test("the call goes before the host, field by field", () => {
    expect(
      resolveTraceOptions({ output: true, maxFieldBytes: 5 }, {
        output: false,
        toolInput: undefined,
      } as never),
    ).toEqual({
      ...DEFAULTS,
      maxFieldBytes: 5,
    });
    expect(resolveTraceOptions("none", { command: true })).toMatchObject({ command: true, toolInput: false });
    expect(resolveTraceOptions({ redact: String }, "full")).toMatchObject({ output: true, redact: String });
  });

  test("both redactors run, the host's last", () => {
    const { redact } = resolveTraceOptions(
      { redact: (text) => `host(${text})` },
      { redact: (text) => `call(${text})` },
    );
    expect(redact?.("x", "command")).toBe("host(call(x))");
  });

  test.each<[unknown, string]>([
    ["all", 'expected "none", "metadata" or "full", got "all"'],
    [7, "expected a preset or an object"],
    [{ outputs: true }, 'unknown field "outputs"'],
    [{ output: 1 }, "output: expected true or false"],
    [{ maxFieldBytes: -1 }, "maxFieldBytes: expected a whole number"],
    [{ redact: "x" }, "redact: expected a function"],
  ])("%j is an error that names it", (level, message) => {
    expect(() => resolveTraceOptions(undefined, level as HarnessTraceLevel)).toThrow(message);
    expect(() => resolveTraceOptions(level as HarnessTraceLevel, undefined)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
  });
});

describe("an event", () => {
  async function traced(level: HarnessTraceLevel, stdout = "out") {
    const runtime = await runtimeOver(
      async (input) => {
        await input.invokeTool?.("t", '{"key":"secret"}');
        return { ...exited(stdout), stderr: "err" };
      },
      { tools: { t: { execute: () => ["result"] } }, traceOptions: resolveTraceOptions(level, undefined) },
    );
    await runtime.sandbox.exec("echo secret");
    return runtime.events;
  }

  test("holds nothing of the work under none", async () => {
    const text = JSON.stringify(await traced("none"));
    for (const part of ["echo", "secret", "result", '"out"', '"err"']) expect(text).not.toContain(part);
  });

  test("holds all of it under full", async () => {
    const [started, call, answer, ended] = await traced("full");
    expect(started).toMatchObject({ command: "echo secret" });
    expect(call).toMatchObject({ input: { key: "secret" } });
    expect(answer).toMatchObject({ result: ["result"] });
    expect(ended).toMatchObject({ stdout: "out", stderr: "err" });
  });

  test("goes through redact, which is told the field; results do not", async () => {
    const fields: TraceField[] = [];
    const redact = (text: string, field: TraceField) => {
      fields.push(field);
      return text.replaceAll("secret", "***");
    };
    const events = await traced({ command: true, output: true, toolInput: true, toolResult: true, redact });
    expect(events[0]).toMatchObject({ command: "echo ***" });
    expect(events[1]).toMatchObject({ input: { key: "***" } });
    expect(fields).toEqual(["command", "toolInput", "toolResult", "stdout", "stderr"]);
  });

  test("holds no text that redact could not check", async () => {
    const redact = () => {
      throw new Error("bug");
    };
    const events = await traced({ redact });
    expect(events[0]).toMatchObject({ command: "[not traced]" });
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  test("is redacted before it is cut", async () => {
    const redact = (text: string) => text.replaceAll("secret", "***");
    const events = await traced({ maxFieldBytes: 7, redact });
    expect(events[0]).toMatchObject({ command: "echo **", cut: ["command"] });
  });

  test("is cut on a character border and says so", async () => {
    const [started, call, , ended] = await traced({ output: true, maxFieldBytes: 6 }, "aéé\u{1f600}");
    expect(started).toMatchObject({ command: "echo s", cut: ["command"] });
    expect(call).toMatchObject({ input: '{"key"', cut: ["input"] });
    expect(ended).toMatchObject({ stdout: "aéé", stdoutBytes: 9, cut: ["stdout"] });
  });

  test("tells input nested by the thousand as text", async () => {
    const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
    const { sandbox, ofType } = await runtimeOver(
      async (input) => {
        await input.invokeTool?.("t", deep).catch(() => undefined);
        await input.invokeTool?.("t", '["[[[", "\\"[[["]');
        return exited();
      },
      { tools: { t: { execute: () => 1 } } },
    );
    await sandbox.exec("x");
    expect(ofType("harness.tool_call.started").map((event) => event.input)).toEqual([deep, ["[[[", '"[[[']]);
  });
});
