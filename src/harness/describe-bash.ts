/** What the model reads about its `bash` tool: where it is, what it may use, and which tools its scripts may call. */
import type { PreparedTurn } from "../host/host.ts";
import { DEFAULT_LIMITS } from "../shared/limits.ts";
import type { HarnessTools } from "../shared/tools.ts";

/** What the description is made from. */
export interface BashDescription {
  readonly turn: Pick<PreparedTurn, "workspace" | "runtime">;
  readonly tools: HarnessTools;
  /** Of a command that asks for none; `undefined`: the sandbox's own, which only its factory knows. */
  readonly timeoutMs: number | undefined;
  /** The most that a command may ask for. */
  readonly maxTimeoutMs: number;
  readonly maxInlineBytes: number;
}

/** The same for the same input, so that a provider's cache of the prompt holds from turn to turn. */
export function describeBash({
  turn,
  tools,
  timeoutMs,
  maxTimeoutMs,
  maxInlineBytes,
}: BashDescription): string {
  const { workspace, runtime } = turn;
  const lines = [
    "Runs a bash script in a sandbox over real directories. Working directory, variables and functions stay from one call to the next; calls made at the same time run one after the other.",
    `Working directory at the start: ${workspace.cwd}`,
    "Directories:",
    ...workspace.mounts.map(({ path, access, readOnlyPrefixes = [] }) => {
      const parts =
        readOnlyPrefixes.length === 0 ? "" : `, but read-only below ${readOnlyPrefixes.join(", ")}`;
      return `- ${path}: ${access === "rw" ? `read and write${parts}` : "read only"}`;
    }),
    "- /tmp: read and write, gone at the end of the turn",
    `Languages: ${[
      "bash with the usual text and file programs",
      ...(runtime.python ? ["python3 (standard library)"] : []),
      ...(runtime.javascript
        ? ["js-exec (JavaScript and TypeScript: js-exec -c 'code', js-exec file.ts)"]
        : []),
    ].join("; ")}.`,
    `Network: ${tellNetwork(workspace.capabilities.network?.allowOnlyUrlPrefixes ?? [])}.`,
    ...(runtime.javascript ? describeTools(tools) : []),
    `Limits: a script is killed after ${timeoutMs === undefined ? `${DEFAULT_LIMITS.timeoutMs} ms, if the sandbox has no limit of its own` : `${timeoutMs} ms`}; timeoutMs asks for another limit, up to ${maxTimeoutMs} ms. Of output beyond ${maxInlineBytes} bytes the answer has head and tail, and names the file below /artifacts that has the whole.`,
    "The answer has exitCode, stdout and stderr; ending, when the script did not exit by itself; note, when later commands run elsewhere than the ones before; changes, when files changed.",
  ];
  return lines.join("\n");
}

function tellNetwork(prefixes: readonly string[]): string {
  return prefixes.length === 0 ? "none" : `curl to ${prefixes.join(", ")} only`;
}

function describeTools(tools: HarnessTools): string[] {
  const callable = Object.entries(tools).filter(([, tool]) => tool.execute !== undefined);
  if (callable.length === 0) return [];
  return [
    "Tools that js-exec scripts can call, as in: js-exec -c 'console.log(await tools.NAME({ … }))'",
    ...callable.map(
      ([name, { description }]) => `- ${name}${description === undefined ? "" : `: ${description}`}`,
    ),
  ];
}
