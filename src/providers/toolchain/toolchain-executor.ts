/**
 * Runs commands in the jail: the executor behind `localToolchainSandbox()`. Owns what a command is from the outside:
 * deadline, abort, output caps, the shell's state between commands, and the truth about how a command ended.
 */
import { clip } from "../../parent/clip.ts";
import { within } from "../../parent/in-time.ts";
import {
  abortedBy,
  CommandOutput,
  exitCodeOf,
  refused,
  refuseLargeScript,
} from "../../shared/command-output.ts";
import { isSandboxError } from "../../shared/errors.ts";
import type { ExecEnding, ExecuteInput, ExecuteOutput } from "../../shared/executor.ts";
import { redactHostText, tellThrown } from "../../shared/redact.ts";
import type { ToolchainLimits } from "../toolchain-options.ts";
import { type CommandFolder, CommandFolders, removeFolder, writeTexts } from "./command-folder.ts";
import type { JailParts } from "./jail.ts";
import { JailLife, tellExit } from "./jail-life.ts";
import { PipeReader } from "./pipe-reader.ts";
import { freshState, type Report, readReport, startText, stateAfter, tellTooLarge } from "./shell-state.ts";
import { CONTROL } from "./shell-texts.ts";

export interface ToolchainExecutor {
  execute(input: ExecuteInput): Promise<ExecuteOutput>;
  dispose(): Promise<void>;
}

/** How long a result waits for a killed jail to be gone, so that its last writes are among the changes. */
const EXIT_WAIT_MS = 150;
/** A shell that leaves more than this leaves nothing. */
const MAX_REPORT_BYTES = 64 * 1024 * 1024;
/** Behind the last NUL of a report nothing comes; the end of a report that was too large still tells the status. */
const REPORT_TAIL_BYTES = 16;

export function createToolchainExecutor(
  parts: JailParts,
  mkfifo: string,
  variables: Readonly<Record<string, string>>,
  limits: ToolchainLimits,
): ToolchainExecutor {
  const life = new JailLife(parts, limits.maxMemoryMb);
  const folders = new CommandFolders(parts.folder.control, mkfifo);
  const open = new Set<(ending: ExecEnding) => void>();
  let state = freshState(parts.cwd, variables);
  /** Whether the state of the last command that ended well was too large to be kept. */
  let isStateLost = false;

  async function execute(input: ExecuteInput): Promise<ExecuteOutput> {
    // Bash takes no NUL in a script, wherever it comes from.
    const script = Buffer.from(input.command.replaceAll("\0", ""));
    const tooLarge = refuseLargeScript(script.length, limits.maxScriptBytes);
    if (tooLarge !== null) return tooLarge;
    const output = new CommandOutput(input, input.maxOutputBytes ?? limits.maxOutputBytes);
    const stateRestored = !isStateLost;
    isStateLost = false;
    let ended: ExecEnding | null = null;
    let endedBy: (ending: ExecEnding) => void = () => undefined;
    const fromOutside = new Promise<null>((resolve) => {
      endedBy = (ending) => {
        ended ??= ending;
        resolve(null);
      };
    });
    open.add(endedBy);
    const timeoutMs = input.timeoutMs ?? limits.timeoutMs;
    const deadlineMs = performance.now() + timeoutMs;
    const onBytes = (stream: "stdout" | "stderr", bytes: Uint8Array): void => {
      // One read may bring much: no timer runs between the caller's own, perhaps slow, callbacks.
      if (performance.now() >= deadlineMs) endedBy({ kind: "killed", by: "deadline" });
      if (ended !== null) return;
      if (output.push(stream, bytes) > limits.maxStreamBytes) endedBy({ kind: "killed", by: "output" });
    };
    const timer = setTimeout(() => endedBy({ kind: "killed", by: "deadline" }), timeoutMs);
    const onAbort = (): void => endedBy({ kind: "killed", by: abortedBy(input.signal) });
    input.signal.addEventListener("abort", onAbort, { once: true });
    if (input.signal.aborted) onAbort();
    const release = life.hold();
    const pipes: PipeReader[] = [];
    const used: CommandFolder[] = [];
    try {
      const inside = (async (): Promise<Report | null> => {
        const folder = await folders.take();
        used.push(folder);
        const at = `${CONTROL}/${folder.number}`;
        await writeTexts(folder, {
          start: startText(state, input, at),
          script,
          stdin: input.stdin ?? new Uint8Array(0),
        });
        const jail = await life.enter(input.readOnlyPrefixes);
        // A command that ended meanwhile starts nothing.
        if (ended !== null) return null;
        const report = new KeptReport();
        const reader = (name: string, take: (bytes: Buffer) => void): PipeReader => {
          const pipe = new PipeReader(`${folder.path}/${name}`, take);
          pipes.push(pipe);
          return pipe;
        };
        const streams = [
          reader("out", (bytes) => onBytes("stdout", bytes)),
          reader("err", (bytes) => onBytes("stderr", bytes)),
        ];
        const told = reader("report", (bytes) => report.push(bytes));
        jail.process.stdin.write(`${folder.number}\n`);
        folders.prepare();
        let exit = await Promise.race([told.ended.then(() => null), jail.process.exit]);
        for (const stream of streams) stream.finish();
        const said = report.read();
        // The pipe may end before the jail does that was killed.
        if (said === null)
          await within(
            jail.process.exit.then((last) => (exit ??= last)),
            EXIT_WAIT_MS,
          );
        if (exit !== null) {
          if (jail.isOverMemory) endedBy({ kind: "killed", by: "memory" });
          else endedBy({ kind: "unknown", why: clip(redactHostText(tellExit(exit))) });
          return null;
        }
        return said;
      })();
      inside.catch(() => undefined); // told below, unless the command has ended meanwhile
      const report = await Promise.race([inside, fromOutside]);
      if (ended !== null) return await killed(ended);
      if (report === null)
        return await killed({ kind: "unknown", why: "the shell ended without saying how" });
      if (report.state !== null) {
        const after = stateAfter(state, report.state, input);
        const tooLarge = tellTooLarge(after);
        if (tooLarge === null) state = after;
        else {
          isStateLost = true;
          output.note(`little-harness: ${tooLarge}`);
        }
      }
      return finish(report.exitCode, { kind: "exited" });
    } catch (error) {
      if (ended !== null) return await killed(ended);
      // Nothing was started, and nothing less than what was asked for will be.
      if (isSandboxError(error)) return refused("policy", tellThrown(error, [parts.cwd]));
      return await killed({ kind: "unknown", why: clip(tellThrown(error)) });
    } finally {
      clearTimeout(timer);
      input.signal.removeEventListener("abort", onAbort);
      open.delete(endedBy);
      for (const folder of used) await removeFolder(folder).catch(() => undefined); // at dispose, all of them go
      release();
    }

    async function killed(ending: ExecEnding): Promise<ExecuteOutput> {
      for (const other of open) {
        if (other !== endedBy) other({ kind: "unknown", why: "the jail was ended for another command" });
      }
      await within(life.kill(), EXIT_WAIT_MS);
      for (const pipe of pipes) pipe.close();
      if (ending.kind === "unknown") output.note(`little-harness: ${ending.why}`);
      return finish(ending.kind === "exited" ? 126 : exitCodeOf(ending), ending);
    }

    function finish(exitCode: number, ending: ExecEnding): ExecuteOutput {
      ended ??= ending;
      return { exitCode, ending, ...output.take(), stateRestored };
    }
  }

  /** A report, up to what is kept of one. */
  class KeptReport {
    #chunks: Buffer[] = [];
    #bytes = 0;

    push(bytes: Buffer): void {
      this.#bytes += bytes.length;
      this.#chunks.push(bytes);
      if (this.#bytes <= MAX_REPORT_BYTES) return;
      this.#chunks = [Buffer.concat(this.#chunks.slice(-2)).subarray(-REPORT_TAIL_BYTES)];
      isStateLost = true;
    }

    read(): Report | null {
      const bytes = Buffer.concat(this.#chunks);
      return readReport(this.#bytes <= MAX_REPORT_BYTES ? bytes : bytes.subarray(bytes.lastIndexOf("e")));
    }
  }

  return {
    execute,
    async dispose() {
      for (const end of open) end({ kind: "killed", by: "dispose" });
      await life.end(limits.graceMs);
      await folders.settle();
    },
  };
}
