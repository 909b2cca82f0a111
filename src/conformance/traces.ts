/**
 * The promise that the same scripts give the same stream of events in every adapter: short runs, played over the
 * adapter, and compared with what the package's own sandboxes gave, which `reference-traces.ts` holds.
 */
import type { HarnessTools } from "../shared/tools.ts";
import { normaliseEvents } from "./normalise-events.ts";
import type { REFERENCE_TRACES } from "./reference-traces.ts";
import type { Need } from "./sandbox-options.ts";
import type { Opened, Stage } from "./stage.ts";

/** A run whose events are compared. No script in it prints a path or a message that differs between shells. */
export interface TraceRun {
  readonly name: keyof typeof REFERENCE_TRACES;
  readonly needs: readonly Need[];
  readonly tools?: (opened: () => Opened) => HarnessTools;
  play(opened: Opened, stage: Stage): Promise<unknown>;
}

/** Calls of tools in the runs: tool → its input. */
const CALLS = { echo: '{"n":[1,"two"]}', fail: "{}", nested: "{}" };

export const TRACE_RUNS: readonly TraceRun[] = [
  {
    name: "commands that exit",
    needs: ["scripts"],
    async play({ exec }) {
      await exec("echo hello; echo aside >&2");
      await exec("exit 3");
      await exec("no-such-command-here 2>/dev/null");
    },
  },
  {
    name: "arguments, directory, variables and input",
    needs: ["scripts", "state"],
    async play({ exec }, { inside }) {
      await exec('echo "$#:$1"', { args: ["a b", ""] });
      await exec("basename $PWD; cat", { cwd: inside("plain"), stdin: "in\n" });
      await exec("mkdir sub; cd sub; X=1; export Y=2");
      await exec('echo "$X$Y$Z"; basename $PWD', { env: { Z: "3" } });
    },
  },
  {
    name: "files that commands change",
    needs: ["scripts", "changes"],
    async play({ exec }) {
      await exec("echo one > a.txt; mkdir d; echo two > d/b.txt; ln -s a.txt l");
      await exec("echo more >> a.txt; rm l; mv d/b.txt c.txt; rmdir d");
      await exec("cat a.txt; echo kept > ../plain/untracked");
      await exec("echo half > h; exit 7");
    },
  },
  {
    name: "files that fs changes",
    needs: ["changes"],
    async play({ sandbox: { fs } }) {
      await fs.writeFile("a.txt", "one");
      await fs.mkdir("d");
      await fs.mv("a.txt", "d/b.txt");
      await fs.appendFile("d/b.txt", " two");
      await fs.rm("d", { recursive: true });
    },
  },
  {
    name: "what is read-only",
    needs: ["scripts", "confinement", "changes"],
    async play({ exec }) {
      await exec("cat ../docs/guide.txt; { echo x > ../docs/new; } 2>/dev/null || echo refused");
    },
  },
  {
    name: "commands that are ended or refused",
    needs: ["scripts"],
    async play({ exec }) {
      await exec("true");
      await exec("sleep 30", { timeoutMs: 500 });
      await exec("echo never", { signal: AbortSignal.abort() });
      await exec("echo never", { timeoutMs: -1 });
      await exec("echo next");
    },
  },
  {
    name: "parallel calls",
    needs: ["scripts", "changes"],
    async play({ exec }) {
      await Promise.all([1, 2, 3].map((n) => exec(`echo ${n} > f${n}`)));
    },
  },
  {
    name: "tool calls",
    needs: ["scripts", "tools", "changes"],
    tools: (opened) => ({
      echo: { execute: (input: unknown) => input, writesFiles: false },
      fail: {
        execute: () => {
          throw new Error("no such order");
        },
      },
      nested: { execute: async () => (await opened().exec("echo inner > made; exit 5")).exitCode },
    }),
    async play({ exec }, { options: { callTool } }) {
      await exec(callTool("echo", CALLS.echo));
      await exec(`${callTool("fail", CALLS.fail)} 2>/dev/null; echo $?`);
      await exec(callTool("nested", CALLS.nested));
    },
  },
];

/** The events of a run, one line each: what may differ between two runs, and between two hosts, is left out. */
export async function traceOf(run: TraceRun, stage: Stage): Promise<string[]> {
  const traceOptions = {
    command: true,
    output: true,
    toolInput: true,
    toolResult: true,
    maxFieldBytes: 4096,
  };
  let opened: Opened | undefined;
  const tools = run.tools?.(() => {
    if (opened === undefined) throw new Error("the sandbox is not open yet");
    return opened;
  });
  opened = await stage.open({ traceOptions, ...(tools && { tools, toolContext: null }) });
  await run.play(opened, stage);
  await opened.sandbox.dispose();
  return normaliseEvents(opened.events).map((event) => toLine(event, stage));
}

function toLine({ seq, type, isolation, command, ...fields }: Record<string, unknown>, stage: Stage): string {
  if (command !== undefined) fields.command = withoutCalls(String(command), stage);
  if (isolation !== undefined) {
    const { mounts, toolsAllowed, toolsCalled } = isolation as Record<string, unknown>;
    fields.mounts = (mounts as { path: string; access: string }[]).map(
      ({ path, access }) => `${path} ${access}`,
    );
    Object.assign(fields, { toolsAllowed, toolsCalled });
  }
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const line = [seq, String(type).replace("harness.", ""), ...shown].join(" ");
  return line.replaceAll(stage.host("session", ".."), "").replaceAll(stage.inside("session", "..", ""), "/");
}

/** How a script calls a tool is the adapter's own: that it does is what is compared. */
function withoutCalls(command: string, { options }: Stage): string {
  return Object.entries(CALLS).reduce(
    (text, [tool, input]) => text.replaceAll(options.callTool(tool, input), `<call ${tool}>`),
    command,
  );
}
