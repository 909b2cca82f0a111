/**
 * `localHost()`: its options, checked at the call. What does the work, `directory-host.ts`, is loaded when it is first
 * used, so that importing the package does not read it.
 */
import { lazyDurableServices } from "../orchestration/lazy-services.ts";
import { chooseFactory } from "../sandbox/mode.ts";
import { invalidOption } from "../shared/check-options.ts";
import type { HarnessOrchestrationServices } from "../shared/orchestration.ts";
import type { HarnessSandboxFactory, HarnessSandboxMode } from "../shared/sandbox.ts";
import type { HarnessTraceLevel } from "../shared/trace-options.ts";
import { resolveTraceOptions } from "../shell/trace-options.ts";
import { type DataDirectory, dataDirectoryAt } from "./data-directory.ts";
import type { HostSettings } from "./directory-host.ts";
import type { HarnessHost, PreparedTurn, PrepareTurnOptions } from "./host.ts";
import { checkKeys } from "./host-errors.ts";
import type { LocalHarnessSession } from "./session.ts";
import type { CreateSessionOptions } from "./session-store.ts";

/** Options of `localHost`. */
export interface LocalHostOptions {
  /** Directory of this machine for sessions and all they leave. A relative one starts at the working directory. @default ".little-harness" */
  readonly dataDir?: string | undefined;
  /** A mode, applied per turn to the turn's effective runtime, or a factory. @default "auto" */
  readonly sandbox?: HarnessSandboxMode | HarnessSandboxFactory | undefined;
  /** Ledgers that turns reach. @default file-backed ones below `dataDir` */
  readonly orchestration?: HarnessOrchestrationServices | undefined;
  /** What events may hold; a turn's own level goes before it, field by field. @default "metadata" */
  readonly traceOptions?: HarnessTraceLevel | undefined;
  /** Milliseconds that the end of a turn waits for each thing that it releases. @default 20000 */
  readonly disposeTimeoutMs?: number | undefined;
}

/** A host over a directory of this machine. Any number of processes may have one over the same directory. */
export interface LocalHost extends HarnessHost, AsyncDisposable {
  /** Absolute. */
  readonly dataDir: string;
  readonly orchestration: HarnessOrchestrationServices;
  /** @throws SandboxError `SESSION_INVALID` for a bad id, `SESSION_EXISTS`, `OPTION_INVALID`, `DATA_DIR_INVALID`, `STORE_FAILED`, `HOST_CLOSED` */
  createSession(options?: CreateSessionOptions): Promise<LocalHarnessSession>;
  /** @throws SandboxError `SESSION_NOT_FOUND`, `SESSION_INVALID` for a bad id or a damaged session, `STORE_FAILED` */
  openSession(id: string): Promise<LocalHarnessSession>;
  /** Those that can be opened, oldest first. @throws SandboxError `STORE_FAILED` */
  listSessions(): Promise<readonly LocalHarnessSession[]>;
  /** Removes a session with all its files, also a damaged one. @throws SandboxError `SESSION_NOT_FOUND`, `SESSION_INVALID`, `SESSION_BUSY`, `STORE_FAILED` */
  deleteSession(id: string): Promise<void>;
  /** Disposes of the turns that are still open. Each call gives the same promise, which never rejects. */
  close(): Promise<void>;
}

const KNOWN = ["dataDir", "sandbox", "orchestration", "traceOptions", "disposeTimeoutMs"];

/**
 * A host over a directory of this machine. Touches no disk and starts nothing.
 *
 * @throws SandboxError `OPTION_INVALID` for an unknown option or a bad value.
 */
export function localHost(options: LocalHostOptions = {}): LocalHost {
  checkKeys("localHost", options, KNOWN);
  const { dataDir = ".little-harness", sandbox = "auto", traceOptions, orchestration } = options;
  const { disposeTimeoutMs = 20_000 } = options;
  // The workspace refuses "*": Node's permission model takes it as a pattern.
  if (typeof dataDir !== "string" || dataDir === "" || /[\0*]/.test(dataDir))
    throw invalidOption("dataDir", 'the path of a directory, without "*"');
  if (!Number.isSafeInteger(disposeTimeoutMs) || disposeTimeoutMs < 1)
    throw invalidOption("disposeTimeoutMs", "a whole number of milliseconds, 1 or more");
  if (orchestration !== undefined && (typeof orchestration !== "object" || orchestration === null))
    throw invalidOption("orchestration", "an object with the ledgers");
  resolveTraceOptions(traceOptions, undefined);
  chooseFactory(sandbox, {}, {});
  const data = dataDirectoryAt(dataDir);
  const ledgers = orchestration ?? lazyDurableServices({ rootDir: data.orchestration });
  return new LazyHost(data, { sandbox, traceOptions, disposeTimeoutMs }, ledgers);
}

class LazyHost implements LocalHost {
  readonly dataDir: string;
  readonly orchestration: HarnessOrchestrationServices;
  readonly #load: () => Promise<LocalHost>;
  #loaded: Promise<LocalHost> | undefined;
  #closed: Promise<void> | undefined;

  constructor(data: DataDirectory, settings: HostSettings, orchestration: HarnessOrchestrationServices) {
    this.dataDir = data.root;
    this.orchestration = orchestration;
    this.#load = async () => {
      const { DirectoryHost } = await import("./directory-host.ts");
      return new DirectoryHost(data, settings, orchestration);
    };
  }

  async createSession(options?: CreateSessionOptions): Promise<LocalHarnessSession> {
    return await (await this.#host()).createSession(options);
  }

  async openSession(id: string): Promise<LocalHarnessSession> {
    return await (await this.#host()).openSession(id);
  }

  async listSessions(): Promise<readonly LocalHarnessSession[]> {
    return await (await this.#host()).listSessions();
  }

  async deleteSession(id: string): Promise<void> {
    await (await this.#host()).deleteSession(id);
  }

  async prepareTurn(options?: PrepareTurnOptions): Promise<PreparedTurn> {
    return await (await this.#host()).prepareTurn(options);
  }

  close(): Promise<void> {
    this.#closed ??= this.#host().then((host) => host.close());
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #host(): Promise<LocalHost> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }
}
