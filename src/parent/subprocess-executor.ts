/**
 * Runs commands in a worker: the executor behind `subprocessSandbox()`. Owns what a command is from the
 * outside: deadline, abort, output caps, and the truth about how it ended. Longer than most files because whatever may
 * end a command is decided here, by one `ended`.
 */

import { MAX_SMALL_ANSWER_BYTES, MAX_STATE_BYTES } from "../protocol/messages.ts";
import { asciiText } from "../shared/ascii-text.ts";
import {
  abortedBy,
  CommandOutput,
  exitCodeOf,
  refused,
  refuseLargeScript,
} from "../shared/command-output.ts";
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import type { ExecEnding, ExecuteInput, ExecuteOutput } from "../shared/executor.ts";
import type { SandboxFileSystem } from "../shared/file-system.ts";
import { redactHostText, tellThrown } from "../shared/redact.ts";
import type { IsolationReport } from "../shared/sandbox.ts";
import { isNormalisedVirtualPath } from "../shared/virtual-path.ts";
import { fromWirePath } from "../shared/wire-path.ts";
import type { HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import { clip } from "./clip.ts";
import { parse } from "./file-answers.ts";
import { inTime, within } from "./in-time.ts";
import type { ResolvedOptions } from "./options.ts";
import { isShellState } from "./shell-state.ts";
import { toWalls } from "./walls.ts";
import { toExecParams, toOpenParams } from "./wire-params.ts";
import { workerFiles } from "./worker-files.ts";
import { type Connection, WorkerLife } from "./worker-life.ts";

/** What `createShellRuntime` needs of a worker. */
export interface SubprocessExecutor {
  execute(input: ExecuteInput): Promise<ExecuteOutput>;
  /** Starts the worker if there is none, without waiting for it. */
  prepare(): void;
  readonly files: SandboxFileSystem;
  /** Starts the worker if there is none. */
  describe(): Promise<IsolationReport>;
  dispose(): Promise<void>;
}

/** A command under way. */
interface Running {
  readonly input: ExecuteInput;
  /** Ends the command from outside; the first call wins. */
  end(ending: ExecEnding): void;
}

/** How long a result waits for a killed worker to be gone, so that its last writes are among the changes. */
const EXIT_WAIT_MS = 150;

export function createSubprocessExecutor(
  options: ResolvedOptions,
  workspace: HarnessWorkspaceSpec,
  tools: boolean,
  tripWires: readonly string[],
  readOnlyPrefixes: () => readonly string[],
): SubprocessExecutor {
  const { limits } = options;
  const running = new Map<number, Running>();
  const open = new Set<Running>();
  let state: Uint8Array | null = null;
  /** Whether the worker of today took up the state of the one before. */
  let stateRestored = true;
  let stateLost = false;
  let lastChannel: unknown = null;

  const life = new WorkerLife(options, {
    openParams: toOpenParams(workspace, tools, tripWires, options),
    restoreState: () => state,
    async onToolCall({ execId, path }, argsJson) {
      const command = running.get(execId);
      if (command?.input.invokeTool === undefined) {
        throw new SandboxError("TOOL_REFUSED", "The command that called this tool has ended.");
      }
      // A cancel is no answer: a call that still waits for its tool must stay counted, or a worker could fill
      // this process with calls that it has cancelled. The end of the command answers all of them.
      const text = asciiText(argsJson) ?? new TextDecoder().decode(argsJson);
      const json = await command.input.invokeTool(path, text);
      return new TextEncoder().encode(json);
    },
    async onTouch({ execId, paths }) {
      const named = paths.flatMap((path) => fromWirePath(path) ?? []);
      if (named.length < paths.length || !named.every(isNormalisedVirtualPath)) {
        const why = "The worker named a path that is not absolute and normalised.";
        life.condemn(new SandboxError("PROTOCOL_BROKEN", why));
      } else await running.get(execId)?.input.touch(named);
    },
  });

  async function execute(input: ExecuteInput): Promise<ExecuteOutput> {
    const script = new TextEncoder().encode(input.command);
    const tooLarge = refuseLargeScript(script.length, limits.maxScriptBytes);
    if (tooLarge !== null) return tooLarge;
    const output = new CommandOutput(input, input.maxOutputBytes ?? limits.maxOutputBytes);
    let ended: ExecEnding | null = null;
    let endedBy: (ending: ExecEnding) => void = () => undefined;
    const fromOutside = new Promise<ExecEnding>((resolve) => {
      endedBy = resolve;
    });
    const command: Running = {
      input,
      end(ending) {
        if (ended !== null) return;
        ended = ending;
        endedBy(ending);
      },
    };
    const timeoutMs = input.timeoutMs ?? limits.timeoutMs;
    const deadlineMs = performance.now() + timeoutMs;
    const onChunk = (stream: "stdout" | "stderr", bytes: Uint8Array): void => {
      // One read may bring thousands of chunks: no timer runs between the caller's own, perhaps slow, callbacks.
      if (performance.now() >= deadlineMs) command.end({ kind: "killed", by: "deadline" });
      if (ended !== null) return;
      if (output.push(stream, bytes) > limits.maxStreamBytes) command.end({ kind: "killed", by: "output" });
    };
    const release = life.hold();
    const timer = setTimeout(() => command.end({ kind: "killed", by: "deadline" }), timeoutMs);
    const onAbort = (): void => command.end({ kind: "killed", by: abortedBy(input.signal) });
    input.signal.addEventListener("abort", onAbort, { once: true });
    if (input.signal.aborted) onAbort();
    open.add(command);
    const params = toExecParams(input, script.length);
    const body = input.stdin === undefined ? [script] : [script, input.stdin];
    let execId: number | null = null;
    let sentAgain = false;
    try {
      const inside = (async () => {
        for (;;) {
          // Asked behind the question for the workspace, whose answer comes first.
          const reached = await life.reach();
          if (ended !== null) return null;
          // A worker that breaks the protocol later has given the answers that came before.
          const noted =
            reached.channel === lastChannel
              ? null
              : reached.connection.then(noteConnection).catch(() => undefined);
          const startsAt = reached.delivery.bytes;
          const call = reached.channel.request("exec", params, {
            body,
            onChunk,
            // Tool calls right behind the answer find no command to belong to.
            onEnd: () => forget(call.id),
            maxAnswerBytes: MAX_STATE_BYTES,
          });
          execId = call.id;
          running.set(call.id, command);
          try {
            const answer = await call;
            if (noted !== null) await noted;
            return answer;
          } catch (error) {
            // Rejects with what kept the worker from starting.
            const connection = await reached.connection;
            // A spare that ended before it was asked for anything else.
            if (connection.channel !== reached.channel) continue;
            if (sentAgain || !(await neverArrived(connection, startsAt, error))) throw error;
            sentAgain = true;
          }
        }
      })();
      const answer = await Promise.race([inside, fromOutside.then(() => null)]);
      inside.catch(() => undefined);
      if (answer !== null && ended === null) {
        const { exitCode, ending, why, stateChanged } = answer.value;
        if (stateChanged && !input.nested) keepState(answer.body);
        if (ending === "tier") return refuseTier(why);
        if (ending === "limit") return finish(126, { kind: "refused", by: "limit" });
        if (ending === "failed") return finish(126, { kind: "unknown", why: clip(redactHostText(why)) });
        return finish(exitCode, { kind: "exited" });
      }
      return await killed(ended ?? { kind: "unknown", why: "the command ended without an answer" });
    } catch (error) {
      if (ended !== null) return await killed(ended);
      if (endedForMemory(error)) return await killed({ kind: "killed", by: "memory" });
      // Nothing was started, and nothing less than what was asked for will be.
      if (isSandboxError(error) && error.code === "ISOLATION_UNAVAILABLE")
        return refused("policy", tellThrown(error));
      const exit = isSandboxError(error) && error.code === "WORKER_EXITED" ? error.data.signal : null;
      const why = clip(tellThrown(error));
      output.note(`little-harness: ${why}`);
      return finish(exit === "SIGKILL" ? 137 : 126, { kind: "unknown", why });
    } finally {
      clearTimeout(timer);
      input.signal.removeEventListener("abort", onAbort);
      if (execId !== null) forget(execId);
      open.delete(command);
      release();
    }

    /** The worker says the rest itself, on stderr. */
    function refuseTier(name: string): ExecuteOutput {
      if (tripWires.includes(name)) return finish(126, { kind: "refused", by: "tier" });
      const broken = new SandboxError(
        "PROTOCOL_BROKEN",
        "The worker named a trip wire that it was not given.",
      );
      life.condemn(broken);
      throw broken;
    }

    /** Ids start anew with each worker: the same one may be another command's by now. */
    function forget(id: number): void {
      if (running.get(id) === command) running.delete(id);
    }

    /** The worker was gone before it had the command, so nothing of it ran: it may be sent again. */
    async function neverArrived(
      { delivery }: Connection,
      startsAt: number,
      error: unknown,
    ): Promise<boolean> {
      if (!isSandboxError(error) || error.code !== "WORKER_EXITED" || ended !== null) return false;
      // The failed write may be told after the exit.
      await new Promise((resolve) => setImmediate(resolve));
      return delivery.lostFrom !== null && delivery.lostFrom <= startsAt;
    }

    async function killed(ending: ExecEnding): Promise<ExecuteOutput> {
      for (const other of open) {
        if (other !== command)
          other.end({ kind: "unknown", why: "the worker was killed for another command" });
      }
      await within(life.kill(), EXIT_WAIT_MS);
      return finish(ending.kind === "exited" ? 126 : exitCodeOf(ending), ending);
    }

    function finish(exitCode: number, ending: ExecEnding): ExecuteOutput {
      ended ??= ending;
      return { exitCode, ending, ...output.take(), stateRestored };
    }
  }

  /** A state too large to be sent is lost with its worker. */
  function keepState(json: Uint8Array): void {
    if (json.length > 0 && !isShellState(parse(json))) {
      const why = "The worker's report on the shell's state has the wrong shape.";
      const broken = new SandboxError("PROTOCOL_BROKEN", why);
      life.condemn(broken);
      throw broken;
    }
    stateLost = json.length === 0;
    state = stateLost ? null : json;
  }

  function noteConnection({ channel, opened }: Connection): void {
    if (channel === lastChannel) return;
    lastChannel = channel;
    stateRestored = opened.stateRestored && !stateLost;
    stateLost = false;
  }

  return {
    execute,
    prepare() {
      // A start that fails is tried again by the command that needs it, which then tells why.
      life.connect().catch(() => undefined);
    },
    files: workerFiles(life, limits.timeoutMs, readOnlyPrefixes),
    async describe() {
      const release = life.hold();
      try {
        const { channel, opened, process: worker } = await life.connect();
        const { engine, defense } = opened;
        const { launch, layers } = life.rung;
        const { mounts, capabilities } = workspace;
        const network = capabilities.network !== undefined;
        // Loaded when somebody asks: it listens, and an application that runs scripts has no need of node:net.
        const { probeWalls } = await import("./isolation/probe-walls.ts");
        const walls = await probeWalls(
          launch,
          mounts,
          network,
          () => worker.pid,
          async (task) => {
            const body = [new TextEncoder().encode(JSON.stringify(task))];
            const call = channel.request("isolation", {}, { body, maxAnswerBytes: MAX_SMALL_ANSWER_BYTES });
            const why = `The worker did not report its isolation within ${limits.startTimeoutMs} ms (startTimeoutMs).`;
            // It is not killed for being late: a command may keep it busy, and has a deadline of its own.
            const late = (): SandboxError => new SandboxError("WORKER_START_TIMEOUT", why);
            return toWalls((await inTime(call, limits.startTimeoutMs, late)).body);
          },
        );
        return { rung: launch.rung, layers, engine: clip(engine), defense: clip(defense), walls };
      } catch (error) {
        if (isSandboxError(error) && error.code === "PROTOCOL_BROKEN") life.condemn(error);
        throw error;
      } finally {
        release();
      }
    },
    async dispose() {
      if (open.size > 0) {
        for (const command of open) command.end({ kind: "killed", by: "dispose" });
        await life.kill();
      }
      await life.dispose();
    },
  };
}

/** What this process has seen, or the worker's own word: the last that it sent. */
function endedForMemory(error: unknown): boolean {
  return isSandboxError(error) && error.code === "WORKER_EXITED" && error.data.overMemory === true;
}
