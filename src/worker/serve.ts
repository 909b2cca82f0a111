/** What the parent may ask, and what is done about it. Holds the one shell and the one file system. */

import type { EngineInput, EngineOptions, EngineShell, ShellState } from "../engine/port.ts";
import type { Handlers } from "../protocol/channel.ts";
import type { Handler } from "../protocol/channel-contract.ts";
import { MAX_STATE_BYTES, MAX_TOUCHED_PATHS, type ParentRequests } from "../protocol/messages.ts";
import type { ProbeTask } from "../protocol/probe-task.ts";
import { asciiText } from "../shared/ascii-text.ts";
import type { SandboxFileSystem } from "../shared/file-system.ts";
import { toWirePath } from "../shared/wire-path.ts";
import { hostFiles } from "../workspace/host-files.ts";
import type { MountFs } from "../workspace/mount-fs.ts";
import type { TouchLog, TouchLogs } from "../workspace/touch-log.ts";
import type { loadEngine } from "./load-engine.ts";
import { prepareWorkspace, type TakePrepared, toEngineKind } from "./prepare-workspace.ts";
import { serveFile } from "./serve-file.ts";
import type { Watcher } from "./start-lifeline.ts";

/** Asks the parent to run a tool for a command. */
export type CallTool = (execId: number, path: string, argsJson: Uint8Array) => Promise<Uint8Array>;

/** Asks the parent to look at paths before a command changes them. */
export type TouchPaths = (execId: number, paths: string[]) => Promise<unknown>;

interface Workspace {
  readonly fs: MountFs;
  readonly touches: TouchLogs;
  readonly files: SandboxFileSystem;
  readonly options: EngineOptions;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A shell, and what it has told of its command's changes. */
interface TellingShell {
  readonly shell: EngineShell;
  readonly touched: TouchLog;
}

/** What a worker serves with. */
export interface ServeOptions {
  readonly engine: ReturnType<typeof loadEngine>;
  readonly takePrepared: TakePrepared;
  readonly callTool: CallTool;
  readonly touchPaths: TouchPaths;
  readonly watcher: Watcher;
}

/** What answers the parent, and what ends the shell that it may have opened. */
export interface Server {
  readonly handlers: Handlers<ParentRequests>;
  close(): void;
}

export function createServer(options: ServeOptions): Server {
  const { engine, takePrepared, callTool, touchPaths, watcher } = options;
  let workspace: Workspace | null = null;
  let shell: TellingShell | null = null;
  let state: ShellState | null = null;
  let working = 0;
  let opening: Promise<unknown> = Promise.resolve();

  const opened = (): Workspace => {
    if (workspace === null) throw new Error("not opened");
    return workspace;
  };

  const openShell = async (isolated: boolean): Promise<TellingShell> => {
    const { fs, options, touches } = opened();
    const touched = touches.open();
    const open = (await engine).openShell;
    return { shell: open(options, fs.view(touched), state, isolated), touched };
  };

  const tell = async (execId: number, paths: string[]): Promise<void> => {
    for (let at = 0; at < paths.length; at += MAX_TOUCHED_PATHS)
      await touchPaths(execId, paths.slice(at, at + MAX_TOUCHED_PATHS).map(toWirePath));
  };

  /** The watcher looks often while one of these works. What is written counts from zero when nothing else does. */
  const watched =
    <P, R>(handler: Handler<P, R>): Handler<P, R> =>
    async (params, call) => {
      const done = watcher.work();
      if (working++ === 0) workspace?.fs.forgetWrittenBytes();
      try {
        return await handler(params, call);
      } finally {
        working--;
        done();
      }
    };

  const handlers: Handlers<ParentRequests> = {
    async open(params, call) {
      watcher.limitMemory(params.maxMemoryMb);
      const { mounts, cwd } = params.workspace;
      const kind = toEngineKind({ ...params, ...params.workspace });
      const ready = await takePrepared(kind);
      // Node loads it at its first use, which the engine's defenses would block.
      if (kind.network !== null) await fetch("data:,");
      const loaded = await engine;
      const { fs, touches, touched, shell: made } = ready ?? prepareWorkspace(loaded, kind);
      const tracking = mounts.map(({ watched: tracked, ...mount }) => ({ ...mount, tracked }));
      fs.setMounts(tracking, params.maxWriteBytes);
      touches.watch(tracking);
      state = call.body.length === 0 ? null : (JSON.parse(decoder.decode(call.body)) as ShellState);
      const stateRestored = state === null || (await fs.exists(state.cwd));
      const place = { cwd, tripWires: params.tripWires };
      made.enter({ ...place, restore: state });
      shell = { shell: made, touched };
      workspace = { fs, touches, files: hostFiles(fs, cwd), options: { ...kind, ...place } };
      const defense = loaded.defenseLevel(kind.defenseInDepth);
      return { value: { engine: loaded.ENGINE_NAME, defense, stateRestored } };
    },

    async exec(params, call) {
      // It may come right behind the question for the workspace.
      if (workspace === null) await opening;
      const { fs, options, touches } = opened();
      fs.setReadOnlyPrefixes(params.readOnlyPrefixes);
      const script = decoder.decode(call.body.subarray(0, params.scriptBytes));
      const stdin = params.stdinBytes === null ? null : call.body.subarray(params.scriptBytes);
      shell ??= await openShell(false);
      const { shell: runner, touched } = params.nested ? await openShell(true) : shell;
      const task: EngineInput = {
        script,
        args: params.args,
        stdin,
        cwd: params.cwd,
        env: params.env,
        replaceEnv: params.replaceEnv,
        deadlineMs: null,
        signal: null,
        onOutput: (stream, bytes) => call.output(stream, bytes),
        invokeTool: options.tools
          ? async (path, argsJson) => {
              const json = await callTool(call.id, path, encoder.encode(argsJson));
              return asciiText(json) ?? decoder.decode(json);
            }
          : null,
      };
      const result = await touches.command(
        touched,
        (paths) => tell(call.id, paths),
        () => runner.run(task),
      );
      if (params.nested || result.ending !== "exited") touches.close(touched);
      if (params.nested) runner.close();
      else if (result.ending !== "exited") shell = null;
      const ending = result.ending === "aborted" ? "failed" : result.ending;
      const value = {
        exitCode: result.exitCode,
        ending,
        why: result.why,
        stateChanged: result.state !== null,
      };
      if (result.state === null || params.nested) return { value: { ...value, stateChanged: false } };
      state = result.state;
      const body = encoder.encode(JSON.stringify(state));
      return body.length > MAX_STATE_BYTES ? { value } : { value, body };
    },

    async fs(params, call) {
      const { fs, files, touches } = opened();
      fs.setReadOnlyPrefixes(params.readOnlyPrefixes);
      return { value: {}, body: await touches.between(() => serveFile(files, params, call.body)) };
    },

    async isolation(_params, call) {
      const { selfProbe } = await import("./self-probe.ts");
      const task = JSON.parse(decoder.decode(call.body)) as ProbeTask;
      return { value: {}, body: encoder.encode(JSON.stringify(await selfProbe(task))) };
    },
  };
  return {
    handlers: {
      ...handlers,
      open: (params, call) => {
        const answer = handlers.open(params, call);
        opening = Promise.resolve(answer).catch(() => undefined);
        return answer;
      },
      exec: watched(handlers.exec),
      fs: watched(handlers.fs),
    },
    close: () => shell?.shell.close(),
  };
}
