/**
 * Background jobs. Each runs in an interpreter of its own over the same files, with the shell's variables as they were,
 * as a forked process would have them; the engine is asynchronous, so it goes on while the foreground does. What is
 * left when the script ends is ended: see `endJobs`. Longer than most files because a job's whole life is here.
 */
import type { StatementNode } from "just-bash";
import { type Control, controlOf } from "./control-state.ts";
import {
  endsShell,
  type Interpreter,
  type InterpreterState,
  joined,
  type NestedOptions,
  NOTHING,
  type Output,
} from "./interpreter.ts";
import { JobSignal } from "./job-signal.ts";
import { jobEnded, jobStarted, nextTurn } from "./job-turns.ts";
import { liveOf, sourceOf, writeLive } from "./live.ts";
import { signalNumber } from "./signals.ts";
import { enterSubshell, runExitTrap } from "./traps.ts";

export interface Job {
  /** In the order of their starts, over all shells of a script. */
  readonly serial: number;
  /** `%1` */
  readonly number: number;
  readonly pid: number;
  /** The shell that may wait for it. */
  readonly owner: number;
  readonly source: string;
  /** Whether its output goes where the shell's goes, and is held until someone asks for it. */
  readonly held: boolean;
  readonly signal: JobSignal;
  readonly done: Promise<void>;
  status: number | null;
  killedBy: string | null;
  /** Whether a `wait` or `jobs` has told of its end. */
  told: boolean;
  disowned: boolean;
  output: Output;
  /** Tells which of several ended first. */
  endedAt: number;
  /** Its trap for a signal. */
  handlerOf(signal: string): string | undefined;
}

/** What the engine's text hands over. */
export interface EngineParts {
  /** Makes a state's maps its own. */
  copy(state: InterpreterState): unknown;
  Scope: new (limits: unknown, signal: AbortSignal) => unknown;
  Shell: new (
    options: object,
    state: InterpreterState,
  ) => { ctx: Interpreter; executeStatement(statement: StatementNode): Promise<Output> };
}

/** More are refused, as a kernel refuses them: a job costs memory, and one could start itself for ever. */
const MOST_JOBS = 256;
/** Jobs that start jobs that start jobs: nobody means to go deeper than a few, and a fork bomb never ends. */
const DEEPEST_JOB = 16;
/** What bash ends with when it cannot start a process. */
export const CANNOT_FORK = 254;

// Copies: the engine blocks the globals while a script runs.
const delay = setTimeout;
const clearDelay = clearTimeout;
const now = performance.now.bind(performance);

export function startJob(
  engine: { readonly ctx: Interpreter },
  statement: StatementNode,
  parts: EngineParts,
): Output {
  const { ctx } = engine;
  const parent = ctx.state;
  const control = controlOf(parent);
  const { jobs } = control;
  const depth = (parent.jobDepth ?? 0) + 1;
  if (depth > DEEPEST_JOB || jobs.filter(isRunning).length >= MOST_JOBS) {
    control.cannotFork = true;
    return { stdout: "", stderr: "bash: fork: Resource temporarily unavailable\n", exitCode: CANNOT_FORK };
  }
  const pid = parent.nextVirtualPid++;
  const signal = new JobSignal(parent.signal);
  const state = forkState(parent, pid, signal.signal, parts);
  const options = {
    ...ctx,
    executionScope: new parts.Scope(ctx.limits, signal.signal),
    sleep: steadySleep(signal.signal),
    exec: (script: string, nested: NestedOptions | undefined, inherited: boolean) =>
      ctx.execFn(script, { ...nested, signal: nested?.signal ?? signal.signal }, inherited),
  };
  const shell = new parts.Shell(options, state);
  const live = liveOf(statement);
  const body = withoutSubshell({ ...statement, background: false });
  jobStarted();
  const done = turnLater(async () => {
    try {
      job.output = await runJob(shell, body, job);
      if (live !== null) {
        await writeLive(ctx.fs, live, job.output);
        job.output = { ...NOTHING, exitCode: job.output.exitCode };
      }
    } catch {
      // Nowhere to write to: the command was given up and its streams are gone. Who asks for the output still gets it.
    } finally {
      jobEnded();
    }
    job.status = job.killedBy === null ? job.output.exitCode : 128 + signalNumber(job.killedBy);
    job.endedAt = control.nextSerial++;
    signal.release();
  });
  const mine = jobs.filter((one) => one.owner === parent.bashPid && !one.told);
  const job: Job = {
    serial: control.nextSerial++,
    number: mine.reduce((most, one) => Math.max(most, one.number), 0) + 1,
    pid,
    owner: parent.bashPid,
    get source() {
      return sourceOf(statement);
    },
    held: live === null && !printsElsewhere(statement),
    signal,
    done,
    status: null,
    killedBy: null,
    told: false,
    disowned: false,
    output: NOTHING,
    endedAt: 0,
    handlerOf: (name) => state.traps?.handlers.get(name),
  };
  jobs.push(job);
  parent.lastBackgroundPid = pid;
  return NOTHING;
}

/** By how much a job's `sleep` may make up for the time that the interpreter took before it. */
const SLACK_MS = 100;

/**
 * The `sleep` of one job, counted from the job's start or its last sleep: jobs that are started in a row and sleep for
 * different times end in the order of those times, even where the machine is slow to start them.
 */
function steadySleep(signal: AbortSignal): (ms: number) => Promise<void> {
  let from = now();
  return (ms) => {
    const called = now();
    const until = Math.max(from, called - SLACK_MS) + ms;
    from = until;
    return pause(Math.max(0, until - called), signal);
  };
}

/** Whether a job's output goes into a file: whoever reads the shell's output does not wait for it then. */
function printsElsewhere({ pipelines }: StatementNode): boolean {
  const command = pipelines.at(-1)?.commands.at(-1);
  if (command === undefined || command.type === "FunctionDef") return false;
  return command.redirections.some(({ operator, fd, target }) => {
    const writes = [">", ">>", ">|", "&>", "&>>"].includes(operator);
    return writes && (fd ?? 1) === 1 && target.type === "Word";
  });
}

/** `( … ) &` is one process, not two. */
function withoutSubshell(statement: StatementNode): StatementNode {
  const [pipeline] = statement.pipelines;
  const [command] = pipeline?.commands ?? [];
  if (statement.pipelines.length !== 1 || pipeline?.commands.length !== 1) return statement;
  if (command?.type !== "Subshell" || pipeline.negated) return statement;
  return { ...statement, pipelines: [{ ...pipeline, commands: [{ ...command, type: "Group" }] }] };
}

/** A turn later, as a new process would start: the foreground comes first. */
async function turnLater(run: () => Promise<void>): Promise<void> {
  await nextTurn();
  await run();
}

function forkState(
  parent: InterpreterState,
  pid: number,
  signal: AbortSignal,
  parts: EngineParts,
): InterpreterState {
  const state: InterpreterState = { ...parent };
  parts.copy(state);
  // One counter for all, or two processes would have one pid.
  Object.defineProperty(state, "nextVirtualPid", {
    get: () => parent.nextVirtualPid,
    set: (value: number) => {
      parent.nextVirtualPid = value;
    },
  });
  state.bashPid = pid;
  state.jobDepth = (parent.jobDepth ?? 0) + 1;
  state.signal = signal;
  state.groupStdin = "";
  state.inCondition = false;
  state.loopDepth = 0;
  state.parentHasLoopContext = false;
  state.processSubstitutions = undefined;
  enterSubshell(state);
  return state;
}

async function runJob(
  shell: { ctx: Interpreter; executeStatement(statement: StatementNode): Promise<Output> },
  statement: StatementNode,
  job: Job,
): Promise<Output> {
  let output: Output;
  try {
    output = await shell.executeStatement(statement);
  } catch (error) {
    const thrown = error as Partial<Output> & Error;
    output = {
      stdout: thrown.stdout ?? "",
      stderr: job.killedBy === null ? (thrown.stderr ?? "") : "",
      exitCode: thrown.exitCode ?? 1,
    };
    if (!endsShell(error) && job.killedBy !== null) return output;
  }
  return job.killedBy === "KILL" ? output : runExitTrap(shell.ctx, output);
}

export function isRunning(job: Job): boolean {
  return job.status === null;
}

/** Jobs of this very shell, the latest last. */
export function ownJobs(state: InterpreterState): Job[] {
  return (state.control?.jobs ?? []).filter((job) => job.owner === state.bashPid);
}

/** What held jobs printed, taken out of them. */
export function takeOutput(jobs: readonly Job[]): Output {
  let output = NOTHING;
  for (const job of jobs) {
    output = joined(output, job.output);
    job.output = NOTHING;
  }
  return { ...output, exitCode: 0 };
}

/** `%1`, `%%`, `%+`, `%-`, `%name`, `%?text`, a pid → the job. */
export function findJob(state: InterpreterState, spec: string): Job | undefined {
  if (/^\d+$/.test(spec)) return state.control?.jobs.find(({ pid }) => pid === Number(spec));
  const jobs = ownJobs(state).filter(({ told }) => !told);
  if (spec === "%" || spec === "%%" || spec === "%+") return jobs.at(-1);
  if (spec === "%-") return jobs.at(-2) ?? jobs.at(-1);
  const text = spec.slice(1);
  if (/^\d+$/.test(text)) return jobs.find(({ number }) => number === Number(text));
  if (text.startsWith("?")) return jobs.findLast(({ source }) => source.includes(text.slice(1)));
  return jobs.findLast(({ source }) => source.startsWith(text));
}

/** Ends a job as an untrapped signal would. */
export function killJob(job: Job, signal: string): void {
  if (!isRunning(job)) return;
  job.killedBy = signal;
  job.signal.abort();
}

/** Waits for jobs, but not past the shell's own end. */
async function settled(state: InterpreterState, jobs: readonly Job[]): Promise<void> {
  const running = jobs.filter(isRunning).map(({ done }) => done);
  if (running.length === 0) return;
  const { signal } = state;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      signal?.removeEventListener("abort", end);
      resolve();
    };
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end, { once: true });
    void Promise.all(running).then(end);
  });
}

/** What a job that nobody waits for may still take when its script has ended. */
const GRACE_MS = 200;

/**
 * A script has ended: its jobs may finish what takes no time, and are ended then. In the world they would live on; here
 * nothing may change files after a command's changes were told.
 */
export async function endJobs(state: InterpreterState): Promise<Output> {
  const control = state.control;
  if (control === undefined || control.jobs.length === 0) return NOTHING;
  const jobs = control.jobs;
  if (jobs.some(isRunning)) {
    const grace = new AbortController();
    await Promise.race([settled(state, jobs), pause(GRACE_MS, grace.signal)]);
    grace.abort();
  }
  const left = jobs.filter(isRunning);
  for (const job of left) killJob(job, "HUP");
  await settled(state, left);
  const output = takeOutput(jobs);
  const lines = left.map(({ number, source }) => {
    return `bash: [${number}] ended with its script, as no one waits for it (wait): ${source}\n`;
  });
  return { ...output, stderr: output.stderr + lines.join("") };
}

/** Until the time is over or the signal fires: a timer that stayed behind would keep the host's process alive. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearDelay(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = delay(end, ms);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  });
}

/** A pipe or `$(…)` is read to its end: until the last job that was started in it and prints into it is done. */
export async function drainCapture(state: InterpreterState, from: number, output: Output): Promise<Output> {
  const control: Control | undefined = state.control;
  const jobs = (control?.jobs ?? []).filter(({ serial, held }) => serial >= from && held);
  if (jobs.length === 0) return output;
  await settled(state, jobs);
  return { ...output, ...joined(output, takeOutput(jobs)), exitCode: output.exitCode };
}
