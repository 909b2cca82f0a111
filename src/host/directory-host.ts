/**
 * Sessions in a directory of this machine, and turns in them. It joins what others do: `session-store.ts` keeps the
 * sessions, `turn.ts` is a turn, `sandbox/mode.ts` knows which sandbox. Nothing is read, made or started before the
 * first call that needs it.
 */
import { mkdir } from "node:fs/promises";
import nodePath from "node:path";
import { chooseFactory, modeOf } from "../sandbox/mode.ts";
import { SandboxError } from "../shared/errors.ts";
import type { HarnessOrchestrationServices } from "../shared/orchestration.ts";
import type { HarnessSandboxFactory, HarnessSandboxMode } from "../shared/sandbox.ts";
import type { HarnessTraceLevel } from "../shared/trace-options.ts";
import { resolveTraceOptions } from "../shell/trace-options.ts";
import { type DataDirectory, makeDataDirectory } from "./data-directory.ts";
import type { PreparedTurn, PrepareTurnOptions } from "./host.ts";
import type { LocalHost } from "./local-host.ts";
import { checkPersistentDirectories, makePersistentDirectories } from "./persistent-directories.ts";
import { checkPrepareOptions, checkRuntime } from "./prepare-options.ts";
import { newId } from "./safe-name.ts";
import type { LocalHarnessSession } from "./session.ts";
import { sessionPathsAt } from "./session-paths.ts";
import { type CreateSessionOptions, SessionStore } from "./session-store.ts";
import { localSessionWorkspace } from "./session-workspace.ts";
import { LocalTurn } from "./turn.ts";
import { closeCutOffTurns } from "./turn-record.ts";

/** Options of `localHost`, checked. */
export interface HostSettings {
  readonly sandbox: HarnessSandboxMode | HarnessSandboxFactory;
  readonly traceOptions: HarnessTraceLevel | undefined;
  readonly disposeTimeoutMs: number;
}

/** Loaded at the first call that needs it. */
export class DirectoryHost implements LocalHost {
  readonly dataDir: string;
  readonly orchestration: HarnessOrchestrationServices;
  readonly #data: DataDirectory;
  readonly #settings: HostSettings;
  readonly #sessions: SessionStore;
  readonly #turns = new Set<LocalTurn>();
  readonly #preparing = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(data: DataDirectory, settings: HostSettings, orchestration: HarnessOrchestrationServices) {
    this.dataDir = data.root;
    this.orchestration = orchestration;
    this.#data = data;
    this.#settings = settings;
    this.#sessions = new SessionStore(data);
  }

  async createSession(options?: CreateSessionOptions): Promise<LocalHarnessSession> {
    this.#throwIfClosed();
    return await this.#sessions.create(options);
  }

  async openSession(id: string): Promise<LocalHarnessSession> {
    return await this.#sessions.open(id);
  }

  async listSessions(): Promise<readonly LocalHarnessSession[]> {
    return await this.#sessions.list();
  }

  async deleteSession(id: string): Promise<void> {
    await this.#sessions.remove(id);
  }

  async prepareTurn(options: PrepareTurnOptions = {}): Promise<PreparedTurn> {
    this.#throwIfClosed();
    const preparing = this.#prepare(options);
    const settled = preparing.catch(() => undefined); // told to the caller
    this.#preparing.add(settled);
    try {
      return await preparing;
    } finally {
      this.#preparing.delete(settled);
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #prepare(options: PrepareTurnOptions): Promise<PreparedTurn> {
    checkPrepareOptions(options);
    const runtime = checkRuntime(options.runtime);
    const traceOptions = resolveTraceOptions(this.#settings.traceOptions, options.traceOptions);
    const { sandbox, disposeTimeoutMs } = this.#settings;
    const factory = chooseFactory(sandbox, runtime, {});
    await makeDataDirectory(this.#data);
    const { id: sessionId } = await this.#sessionFor(options.session);
    const lock = await this.#sessions.lock(sessionId);
    try {
      // As it is now that nobody else can change it: it may have been removed and made anew before the lock.
      const session = await this.#sessions.open(sessionId);
      const { turns } = sessionPathsAt(session.directory);
      if (lock.tookOver) await closeCutOffTurns(turns);
      const wanted = checkPersistentDirectories(options.persistentDirs);
      const readOnlyPrefixes = await makePersistentDirectories(session.persistentDir, wanted);
      this.#throwIfClosed();
      const id = newId("turn");
      const directory = nodePath.join(turns, id);
      const problem: unknown = await mkdir(directory, { recursive: true, mode: 0o700 }).then(
        () => undefined,
        (error: unknown) => error,
      );
      const turn = await LocalTurn.begin(
        {
          id,
          directory,
          session,
          lock,
          workspace: localSessionWorkspace(session, { capabilities: runtime }),
          runtime,
          traceOptions,
          orchestration: this.orchestration,
          sandboxMode: modeOf(sandbox, runtime),
          factory,
          readOnlyPrefixes,
          options,
          disposeTimeoutMs,
          onReleased: (released) => this.#turns.delete(released),
        },
        problem,
      );
      this.#turns.add(turn);
      return turn;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async #sessionFor(given: PrepareTurnOptions["session"]): Promise<LocalHarnessSession> {
    if (given === undefined) return await this.#sessions.create();
    if (typeof given === "string") return await this.#sessions.open(given);
    const session = await this.#sessions.open(given.id);
    if (session.directory === given.directory) return session;
    throw new SandboxError(
      "OPTION_INVALID",
      `Option "session" must be a session of this host's data directory, and not one in "${given.directory}".`,
      { option: "session" },
    );
  }

  async #end(): Promise<void> {
    // What is being prepared becomes a turn, or finds the host closed.
    await Promise.resolve();
    await Promise.all(this.#preparing);
    await Promise.all([...this.#turns].map((turn) => turn.dispose()));
  }

  #throwIfClosed(): void {
    if (this.#closed !== undefined) throw new SandboxError("HOST_CLOSED", "The host was closed.");
  }
}
