/**
 * The life of one sandbox's worker: nothing runs until the first call, first callers share one start, a worker
 * that exits or is killed makes room for a new one, a worker that breaks the protocol is the last. Every
 * transition of the state is in this file; what is asked of a worker is not. Longer than most files for that.
 */
import type { Writable } from "node:stream";
import { CallFailure } from "../protocol/call-failure.ts";
import type { Channel } from "../protocol/channel.ts";
import { MAX_SMALL_ANSWER_BYTES, type ParentRequests, type WorkerRequests } from "../protocol/messages.ts";
import type { ProtocolError } from "../protocol/protocol-error.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import { isSandboxError, SandboxError } from "../shared/errors.ts";
import { redactHostText, tellThrown } from "../shared/redact.ts";
import { buildId } from "./build-id.ts";
import { clip } from "./clip.ts";
import { findNode } from "./find-node.ts";
import { findWorker } from "./find-worker.ts";
import { within } from "./in-time.ts";
import type { ChosenRung } from "./isolation/choose-rung.ts";
import { guardInspector } from "./isolation/guard-inspector.ts";
import type { ResolvedOptions } from "./options.ts";
import type { WorkerExit, WorkerProcess } from "./spawn-worker.ts";
import { stopWorker } from "./stop-worker.ts";
import { BUSY_LOOK_MS, IDLE_LOOK_MS, watchMemory } from "./watch-memory.ts";
import { toSpareKind } from "./wire-params.ts";

/** A worker that has been told its workspace. */
export interface Connection {
  readonly channel: Channel<ParentRequests>;
  readonly process: WorkerProcess;
  readonly opened: ParentRequests["open"]["result"];
  readonly delivery: Delivery;
}

/** A worker that has been asked to open the workspace, and may be asked more: that waits for it there. */
export interface Reached extends Pick<Connection, "channel" | "delivery"> {
  /** Of the worker that has opened it: of another one, if this was a spare and ended before. */
  readonly connection: Promise<Connection>;
}

/** What is known of the bytes that were written to a worker. */
export interface Delivery {
  /** All bytes that were to be written so far. */
  readonly bytes: number;
  /** The worker was gone before it had what starts at this byte, or anything after it; `null`: not known of any. */
  readonly lostFrom: number | null;
}

/** What a worker is told at its start, and what it may ask. */
export interface WorkerDuties {
  readonly openParams: ParentRequests["open"]["params"];
  /** The shell state for a worker that follows another; `null` for the first. */
  restoreState(): Uint8Array | null;
  onToolCall(params: WorkerRequests["tool.call"]["params"], argsJson: Uint8Array): Promise<Uint8Array>;
  onTouch(params: WorkerRequests["touch"]["params"]): Promise<void>;
}

/** How long an exit may be told after the end of a pipe. */
const PIPE_END_MS = 250;

type WorkerState =
  | { is: "idle" }
  | {
      is: "starting";
      connection: Promise<Connection>;
      reached: Promise<Reached>;
      process: WorkerProcess | null;
    }
  | { is: "ready"; connection: Connection; reached: Reached }
  | { is: "stopping"; gone: Promise<unknown> }
  | { is: "dead"; why: SandboxError; gone: Promise<unknown> };

export class WorkerLife {
  readonly #options: ResolvedOptions;
  readonly #duties: WorkerDuties;
  #state: WorkerState = { is: "idle" };
  #holds = 0;
  #watched: WorkerProcess | null = null;
  #stopWatching = (): void => undefined;
  #rung: ChosenRung | null = null;
  /** The worker that was taken from the spares and has not opened the workspace yet. */
  #spare: WorkerProcess | null = null;

  constructor(options: ResolvedOptions, duties: WorkerDuties) {
    this.#options = options;
    this.#duties = duties;
  }

  /** The worker, started when there is none. Rejects with a `SandboxError`. */
  async connect(): Promise<Connection> {
    return await (await this.reach()).connection;
  }

  /** The same, as soon as anything can be asked. */
  async reach(): Promise<Reached> {
    for (;;) {
      const state = this.#state;
      switch (state.is) {
        case "ready":
          return state.reached;
        case "starting":
          return await state.reached;
        case "dead":
          throw state.why;
        case "stopping":
          await state.gone;
          if (this.#state === state) this.#state = { is: "idle" };
          break;
        case "idle": {
          let tell: (channel: Omit<Reached, "connection">) => void = () => undefined;
          const told = new Promise<Omit<Reached, "connection">>((resolve) => {
            tell = resolve;
          });
          const connection = this.#start((channel) => tell(channel));
          // A start may fail before there is anything to ask.
          const reached = Promise.race([told, connection]).then(({ channel, delivery }) => ({
            channel,
            delivery,
            connection,
          }));
          // Told to those who wait for it.
          for (const promise of [connection, reached]) promise.catch(() => undefined);
          this.#state = { is: "starting", connection, reached, process: null };
          return await reached;
        }
      }
    }
  }

  /** Keeps the host's event loop running, and the worker's memory watched, until the returned function is called. */
  hold(): () => void {
    if (++this.#holds === 1 && this.#state.is === "ready") this.#attend(this.#state.connection, true);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      if (--this.#holds > 0) return;
      if (this.#state.is === "ready") this.#attend(this.#state.connection, false);
    };
  }

  /** What the workers of this sandbox stand on; there is an answer once one is connected. */
  get rung(): ChosenRung {
    if (this.#rung === null) throw new Error("no worker was started yet");
    return this.#rung;
  }

  /** Kills the worker, if there is one, whatever it does. The next call gets a new one. Resolves at its exit. */
  async kill(): Promise<void> {
    const worker = this.#process();
    if (worker === null) return;
    this.#stopWatching();
    worker.kill("SIGKILL");
    if (this.#state.is !== "dead") this.#state = { is: "stopping", gone: worker.exit };
    await worker.exit;
  }

  /**
   * Ends this sandbox because of what its worker did: it is killed, and every open and every later call fails
   * with `why`.
   */
  condemn(why: SandboxError): void {
    const state = this.#state;
    if (state.is === "dead") return;
    const worker = this.#process();
    const gone = state.is === "stopping" ? state.gone : worker?.exit;
    this.#state = { is: "dead", why, gone: gone ?? Promise.resolve() };
    this.#stopWatching();
    if (state.is === "ready") state.connection.channel.close(why);
    worker?.kill("SIGKILL");
  }

  /** Ends the worker in good order and for ever. Resolves when no process is left. */
  async dispose(): Promise<void> {
    const state = this.#state;
    const worker = this.#process();
    const why = new SandboxError("SANDBOX_DISPOSED", "The sandbox was disposed of.");
    const gone = state.is === "stopping" || state.is === "dead" ? state.gone : worker?.exit;
    this.#state = { is: "dead", why, gone: gone ?? Promise.resolve() };
    this.#stopWatching();
    if (worker !== null) {
      worker.hold(true);
      await stopWorker(worker, this.#options.limits.graceMs);
    }
    // Whoever starts a worker finds the state and stops it; the callers get the failure.
    if (state.is === "starting") await state.connection.catch(() => undefined);
    await gone;
  }

  #process(): WorkerProcess | null {
    if (this.#state.is === "ready") return this.#state.connection.process;
    return this.#state.is === "starting" ? this.#state.process : null;
  }

  /** @param onReached called once the workspace was asked for, with each worker that it is asked of */
  async #start(onReached: (reached: Omit<Reached, "connection">) => void): Promise<Connection> {
    // What the worker says first is read also when who asked for it has given up.
    const release = this.hold();
    try {
      return await this.#startHeld(onReached);
    } finally {
      release();
    }
  }

  async #startHeld(
    onReached: (reached: Omit<Reached, "connection">) => void,
    fresh = false,
  ): Promise<Connection> {
    const { limits, prewarm } = this.#options;
    let worker: WorkerProcess;
    try {
      worker = await this.#spawn(fresh);
    } catch (error) {
      if (this.#state.is === "starting") this.#state = { is: "idle" };
      throw this.#toStartError(error);
    }
    const starting = this.#state;
    if (starting.is === "starting") starting.process = worker;
    const delivery = { bytes: 0, lostFrom: null };
    const { createChannel } = await loadStarters();
    const channel = this.#connectChannel(createChannel, worker, delivery);
    this.#attend({ process: worker, channel }, true);
    const timer = setTimeout(() => {
      const late = `The worker did not answer within ${limits.startTimeoutMs} ms (startTimeoutMs).`;
      channel.close(new SandboxError("WORKER_START_TIMEOUT", late));
      worker.kill("SIGKILL");
    }, limits.startTimeoutMs);
    try {
      this.#throwIfDead();
      const body = this.#duties.restoreState();
      // Sent behind the hello without waiting for the worker's: one round trip instead of two.
      const call = channel.request("open", this.#openParams(), {
        ...(body === null ? {} : { body }),
        maxAnswerBytes: MAX_SMALL_ANSWER_BYTES,
      });
      onReached({ channel, delivery });
      const { value } = await call;
      const connection: Connection = { channel, process: worker, opened: value, delivery };
      this.#spare = null;
      const reached = { channel, delivery, connection: Promise.resolve(connection) };
      if (this.#state === starting) this.#state = { is: "ready", connection, reached };
      else this.#throwIfDead();
      if (prewarm > 0) void this.#keepSpares(prewarm);
      void this.#keepCodeCache();
      return connection;
    } catch (error) {
      worker.kill("SIGKILL");
      await worker.exit;
      this.#throwIfDead();
      if (this.#spare === worker && this.#state === starting) {
        this.#spare = null;
        // A spare may have ended while it waited; that is nothing that the caller did.
        if (hasExited(error)) return await this.#startHeld(onReached, true);
        this.#state = { is: "idle" };
      }
      if (!(error instanceof CallFailure)) throw error;
      throw new SandboxError(
        "WORKER_EXITED",
        `The worker could not open the workspace: ${clip(tellThrown(error))}`,
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /** Messages may be shown to a script's author; the operator reads the whole in the diagnostics. */
  #toStartError(error: unknown): SandboxError {
    this.#options.onDiagnostic?.(`little-harness: no worker was started: ${String(error)}\n`);
    if (error instanceof SandboxError)
      return new SandboxError(error.code, tellThrown(error), error.data, { cause: error });
    const message = `The worker could not be started: ${tellThrown(error)}`;
    return new SandboxError("WORKER_EXITED", message, {}, { cause: error });
  }

  #throwIfDead(): void {
    if (this.#state.is === "dead") throw this.#state.why;
  }

  /** `fresh`: not a spare. */
  async #spawn(fresh: boolean): Promise<WorkerProcess> {
    const { workerPath, nodePath, isolation, execArgv, env, prewarm, codeCacheDirectory } = this.#options;
    const { mounts, network } = this.#duties.openParams.workspace;
    const workerFile = findWorker(workerPath);
    const node = findNode(nodePath);
    const { spawnWorker, chooseRung, takeSpare } = await loadStarters();
    // Chosen once: the workers that follow stand where the first stood, or do not start.
    this.#rung ??= await chooseRung(isolation, {
      workerFile,
      nodePath: node,
      ownNode: nodePath === null,
      execArgv,
      env,
      mounts,
      codeCacheDirectory,
      network: network !== null,
    });
    guardInspector();
    const { launch } = this.#rung;
    const onStderr = (text: string): void => this.#options.onDiagnostic?.(text);
    if (prewarm > 0 && launch.rung !== "process")
      onStderr(`little-harness: prewarm starts no spares on the rung ${launch.rung}\n`);
    if (prewarm > 0 && !fresh)
      this.#spare = takeSpare(launch, toSpareKind(this.#duties.openParams), onStderr);
    return this.#spare ?? spawnWorker({ launch, onStderr });
  }

  async #keepCodeCache(): Promise<void> {
    const { codeCache = null } = this.rung.launch;
    if (codeCache === null) return;
    const { hasCodeCache } = await import("./code-cache.ts");
    if (hasCodeCache(codeCache)) return;
    const { makeCodeCacheSoon } = await import("./make-code-cache.ts");
    makeCodeCacheSoon(codeCache, (why) => this.#options.onDiagnostic?.(`little-harness: ${why}`));
  }

  async #keepSpares(count: number): Promise<void> {
    const { keepSpares } = await loadStarters();
    keepSpares(this.rung.launch, toSpareKind(this.#duties.openParams), count);
  }

  /** The workspace in the worker's own view of the mounts. */
  #openParams(): ParentRequests["open"]["params"] {
    const { openParams } = this.#duties;
    const paths = this.#rung?.launch.backingPaths ?? [];
    const mounts = openParams.workspace.mounts.map((mount, index) => ({
      ...mount,
      backingPath: paths[index] ?? mount.backingPath,
    }));
    return { ...openParams, workspace: { ...openParams.workspace, mounts } };
  }

  #connectChannel(
    createChannel: Starters["createChannel"],
    worker: WorkerProcess,
    delivery: { bytes: number; lostFrom: number | null },
  ): Channel<ParentRequests> {
    const channel = createChannel<ParentRequests, WorkerRequests>({
      side: "parent",
      hello: { version: PROTOCOL_VERSION, buildId },
      write: (bytes, body) => {
        const at = delivery.bytes;
        delivery.bytes += bytes.length + (body?.length ?? 0);
        const onWritten = (error?: Error | null): void => {
          if (error && tellsLoss(error)) delivery.lostFrom = Math.min(delivery.lostFrom ?? at, at);
        };
        if (!worker.stdin.writable) delivery.lostFrom ??= at;
        if (!worker.stdin.writable || writeParts(worker.stdin, onWritten, bytes, body)) return;
        return new Promise<void>((resolve) => {
          const done = (): void => {
            worker.stdin.off("drain", done).off("close", done);
            resolve();
          };
          worker.stdin.on("drain", done).on("close", done);
        });
      },
      handlers: {
        "tool.call": async (params, call) => ({
          value: {},
          body: await this.#duties.onToolCall(params, call.body),
        }),
        touch: async (params) => {
          await this.#duties.onTouch(params);
          return { value: {} };
        },
      },
      onBroken: (error) => this.#break(worker, channel, error),
    });
    worker.stdout.on("data", (bytes: Uint8Array) => channel.receive(bytes));
    worker.stdout.once("end", () => void this.#pipeEnded(worker, channel, "output"));
    worker.stdin.once("close", () => void this.#pipeEnded(worker, channel, "input"));
    void worker.exit.then((exit) => {
      // Told once all that it wrote has been read.
      channel.close(exitError(exit));
      const state = this.#state;
      const mine =
        (state.is === "ready" && state.connection.process === worker) ||
        (state.is === "starting" && state.process === worker);
      // A spare that ends before it has opened the workspace is followed by a worker of the same start.
      const replaced = this.#spare === worker && state.is === "starting";
      if (mine && !replaced) this.#state = { is: "idle" };
      if (this.#watched === worker) this.#stopWatching();
    });
    channel.start();
    return channel;
  }

  /** Usually the worker is exiting, or was told to. If not, it can never answer, or never be asked, again. */
  async #pipeEnded(
    worker: WorkerProcess,
    channel: Channel<ParentRequests>,
    which: "input" | "output",
  ): Promise<void> {
    if (await within(worker.exit, PIPE_END_MS)) return;
    // What leaves in good order has time for it: `stopWorker` ends the input itself.
    if (which === "input" && this.#state.is === "dead") return;
    this.#giveUp(worker, channel, `The worker closed its ${which} and went on.`);
  }

  /** Whether the worker is listened to, and how closely its memory is watched: its own look is the first line. */
  #attend({ process: worker, channel }: Pick<Connection, "process" | "channel">, on: boolean): void {
    worker.hold(on);
    this.#stopWatching();
    this.#watched = worker;
    const lookMs = on ? BUSY_LOOK_MS : IDLE_LOOK_MS;
    this.#stopWatching = watchMemory(worker.pid, this.#options.limits.maxMemoryMb, lookMs, (heldMb) => {
      const why = `The worker held ${Math.round(heldMb)} MiB (maxMemoryMb).`;
      this.#giveUp(worker, channel, why, { overMemory: true });
    });
  }

  /** Ends a worker for what it did; open calls fail, the next call gets a new one. */
  #giveUp(
    worker: WorkerProcess,
    channel: Channel<ParentRequests>,
    why: string,
    data: { overMemory?: true } = {},
  ): void {
    channel.close(new SandboxError("WORKER_EXITED", why, data));
    if (this.#process() === worker) void this.kill();
    else worker.kill("SIGKILL");
  }

  /** The guest, or a bug, has taken the worker over: this sandbox ends here, and the host goes on. */
  #break(worker: WorkerProcess, channel: Channel<ParentRequests>, cause: ProtocolError): void {
    const why =
      cause.code === "HELLO_MISMATCH"
        ? new SandboxError(
            "WORKER_VERSION",
            `The worker is of another build than this module: ${cause.message} Use the dist/worker folder of the ` +
              "same @little-stack/harness (workerPath).",
            {},
            { cause },
          )
        : new SandboxError(
            "PROTOCOL_BROKEN",
            `The worker broke the protocol: ${cause.message}${this.#state.is === "starting" ? NO_HELLO : ""}`,
            {},
            { cause },
          );
    channel.close(why);
    worker.kill("SIGKILL");
    this.condemn(why);
  }
}

/** Far more likely than a broken worker. */
const NO_HELLO = " It had not said hello yet: is workerPath the dist/worker folder of this package?";

/** The peer was gone. What a stream was destroyed under (another code) may have been written all the same. */
function tellsLoss(error: Error): boolean {
  return "code" in error && (error.code === "EPIPE" || error.code === "ECONNRESET");
}

/** Both in one system call; whether the stream takes more. */
function writeParts(
  stream: Writable,
  onWritten: (error?: Error | null) => void,
  bytes: Uint8Array,
  body: Uint8Array | undefined,
): boolean {
  if (body === undefined) return stream.write(bytes, onWritten);
  stream.cork();
  stream.write(bytes, onWritten);
  const free = stream.write(body, onWritten);
  stream.uncork();
  return free;
}

function hasExited(error: unknown): boolean {
  return isSandboxError(error) && error.code === "WORKER_EXITED";
}

function exitError({ code, signal, overMemory, stderrTail }: WorkerExit): SandboxError {
  const how = overMemory ? "above maxMemoryMb" : signal === null ? `code ${code}` : signal;
  const words = redactHostText(stderrTail.trim()).slice(-500);
  const said = words === "" ? "" : ` Its last words: ${words}`;
  return new SandboxError("WORKER_EXITED", `The worker exited (${how}).${said}`, {
    code,
    signal,
    overMemory,
    stderrTail,
  });
}

type Starters = Awaited<ReturnType<typeof importStarters>>;

let starters: Promise<Starters> | undefined;

/** Asked for once: what is loaded already costs a tenth of a millisecond all the same. */
function loadStarters(): Promise<Starters> {
  starters ??= importStarters();
  return starters;
}

/** Loaded with the first worker: an application that never runs a script loads neither child_process nor the wire. */
async function importStarters() {
  const [{ createChannel }, { spawnWorker }, { chooseRung }, { takeSpare, keepSpares }] = await Promise.all([
    import("../protocol/channel.ts"),
    import("./spawn-worker.ts"),
    import("./isolation/choose-rung.ts"),
    import("./spare-workers.ts"),
  ]);
  return { createChannel, spawnWorker, chooseRung, takeSpare, keepSpares };
}
