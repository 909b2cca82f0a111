/** Tools of the host, called from scripts, and commands that tools run. */
import type { HarnessSandbox } from "../../shared/sandbox.ts";
import type { HarnessTools, ToolCallOptions } from "../../shared/tools.ts";
import type { SandboxCase } from "../stage.ts";
import { expectInTime, startClock } from "./endings.ts";

export const toolCases: readonly SandboxCase[] = [
  {
    name: "tools without toolContext are refused by the factory",
    needs: [],
    async run({ open, check }) {
      const tools: HarnessTools = { echo: { execute: (input: unknown) => input } };
      await check.rejectsWith("TOOLS_WITHOUT_CONTEXT", "the factory with tools and no toolContext", () =>
        open({ tools }),
      );
      await check.resolves("the factory with toolContext: null", () => open({ tools, toolContext: null }));
    },
  },
  {
    name: "a script calls a tool with its input and gets its result",
    needs: ["scripts", "tools"],
    async run({ open, check, options }) {
      const calls: unknown[] = [];
      const tools: HarnessTools = {
        double: {
          execute: (input: { n: number; text: string }, { experimental_context }: ToolCallOptions) => {
            calls.push([input, experimental_context]);
            return { n: input.n * 2, text: input.text };
          },
        },
      };
      const { exec } = await open({ tools, toolContext: { user: "u1" } });
      const input = { n: 21, text: "it's é\n" };
      const result = await exec(options.callTool("double", JSON.stringify(input)));
      check.equal("the call", calls, [[input, { user: "u1" }]]);
      check.matches("the result", result, { exitCode: 0, stderr: "" });
      check.equal("what the script printed", parse(result.stdout), { n: 42, text: input.text });
    },
  },
  {
    name: "a tool that throws fails the call with its message, and the script goes on",
    needs: ["scripts", "tools"],
    async run({ open, check, options }) {
      const fail = {
        execute: () => {
          throw new Error("no such order: 7");
        },
      };
      const { exec, events } = await open({ tools: { fail }, toolContext: null });
      const result = await exec(`${options.callTool("fail", "{}")} || echo "went on"`);
      check.equal("stdout", result.stdout, "went on\n");
      const { stderr } = result;
      check.that(stderr.includes("no such order: 7"), "stderr", stderr, "the tool's message in it");
      const types = events
        .filter(({ type }) => type.startsWith("harness.tool_call."))
        .map(({ type }) => type);
      check.equal("the events", types, ["harness.tool_call.started", "harness.tool_call.failed"]);
    },
  },
  {
    name: "a tool that never answers does not outlive its command, and hears of the end",
    needs: ["scripts", "tools"],
    async run(stage) {
      let heard: () => void = () => undefined;
      const aborted = new Promise<string>((resolve) => {
        heard = () => resolve("aborted");
      });
      const stop = new AbortController();
      let elapsed = startClock();
      const hang = {
        execute: (_input: unknown, { abortSignal }: ToolCallOptions) => {
          abortSignal.addEventListener("abort", heard, { once: true });
          elapsed = startClock();
          stop.abort();
          return new Promise(() => undefined);
        },
      };
      const { exec } = await stage.open({ tools: { hang }, toolContext: null });
      const result = await exec(stage.options.callTool("hang", "{}"), {
        signal: stop.signal,
        timeoutMs: 20_000,
      });
      expectInTime(stage, elapsed(), 0);
      stage.check.equal("its ending", result.ending, { kind: "killed", by: "abort" });
      const late = new Promise<string>((resolve) => setTimeout(resolve, 2_000, "not aborted"));
      stage.check.equal("the tool's abortSignal", await Promise.race([aborted, late]), "aborted");
      stage.check.matches("the next command", await exec("echo next"), { stdout: "next\n" });
    },
  },
  {
    name: "a command that a tool runs on the same sandbox runs at once, in the same shell's directory",
    needs: ["scripts", "tools", "state"],
    async run({ open, check, options, inside }) {
      let sandbox: HarnessSandbox | undefined;
      const nested = {
        execute: async () => (await sandbox?.exec("pwd; echo nested > made", { timeoutMs: 10_000 }))?.stdout,
      };
      const opened = await open({ tools: { nested }, toolContext: null });
      sandbox = opened.sandbox;
      await opened.exec("mkdir sub; cd sub");
      const result = await opened.exec(`${options.callTool("nested", "{}")}; cat made`, {
        timeoutMs: 20_000,
      });
      check.equal("its ending", result.ending, { kind: "exited" });
      const printed = `${JSON.stringify(`${inside("session", "sub")}\n`)}\nnested\n`;
      check.equal("stdout", result.stdout, printed);
      const starts = opened.events.filter(({ type }) => type === "harness.runtime.command.started");
      check.equal(
        "nested of the events",
        starts.map((event) => "nested" in event && event.nested),
        [false, false, true],
      );
    },
  },
  {
    name: "the events of a tool call lie between those of its command and name it",
    needs: ["scripts", "tools"],
    async run({ open, check, options }) {
      const tools = { echo: { execute: (input: unknown) => input } };
      const { exec, events } = await open({ tools, toolContext: null });
      await exec(options.callTool("echo", '{"a":1}'));
      const types = events.map(({ type }) => type.replace("harness.", ""));
      const between = ["tool_call.started", "tool_call.completed"];
      check.equal("the events", types, ["runtime.command.started", ...between, "runtime.command.completed"]);
      const [start, called] = events;
      check.matches("the call's event", called ?? {}, {
        commandId: start?.occurrenceId,
        tool: "echo",
        input: { a: 1 },
      });
    },
  },
  {
    name: "emitToolEvents: false leaves the events of tool calls out",
    needs: ["scripts", "tools"],
    async run({ open, check, options }) {
      const tools = { echo: { execute: (input: unknown) => input } };
      const { exec, events } = await open({ tools, toolContext: null, emitToolEvents: false });
      const result = await exec(options.callTool("echo", "{}"));
      check.matches("the result", result, { exitCode: 0, stdout: "{}\n" });
      const types = events.map(({ type }) => type.replace("harness.runtime.", ""));
      check.equal("the events", types, ["command.started", "command.completed"]);
    },
  },
];

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
