/** `wait`, `jobs`, `kill`, `fg`, `bg`, `disown`. */
import { ExitError } from "just-bash:errors";
import { controlOf, send } from "./control-state.ts";
import {
  failure,
  type Interpreter,
  type InterpreterState,
  joined,
  NOTHING,
  type Output,
} from "./interpreter.ts";
import { nextTurn } from "./job-turns.ts";
import { findJob, isRunning, type Job, killJob, ownJobs, takeOutput } from "./jobs.ts";
import { endsProcess, signalName, signalNumber, signalTable } from "./signals.ts";
import { runHandler } from "./traps.ts";

const NO_JOB = 127;

export async function waitBuiltin(interpreter: Interpreter, args: readonly string[]): Promise<Output> {
  const { state } = interpreter;
  let next = false;
  let variable: string | undefined;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (!/^-./.test(arg)) break;
    if (arg === "--") {
      at++;
      break;
    }
    if (arg === "-n") next = true;
    else if (arg === "-p") variable = args[++at];
    else if (arg !== "-f") {
      const output = failure(state, 2, `wait: ${arg}: invalid option`);
      return { ...output, stderr: `${output.stderr}wait: usage: wait [-fn] [-p var] [id ...]\n` };
    }
  }
  const specs = args.slice(at);
  if (variable !== undefined) state.env.delete(variable);
  let output = NOTHING;
  if (next) return waitForNext(state, specs, variable);
  if (specs.length === 0) {
    const jobs = ownJobs(state).filter(({ told, disowned }) => !told && !disowned);
    const interrupted = await waitFor(state, () => jobs.every((job) => !isRunning(job)), jobs);
    if (interrupted !== null) return { ...NOTHING, exitCode: interrupted };
    for (const job of jobs) output = joined(output, tellEnd(state, job));
    return { ...output, exitCode: 0 };
  }
  for (const spec of specs) {
    const job = findJob(state, spec);
    if (job === undefined || job.owner !== state.bashPid) {
      output = joined(output, notMine(state, spec));
      continue;
    }
    const interrupted = await waitFor(state, () => !isRunning(job), [job]);
    if (interrupted !== null) return { ...output, exitCode: interrupted };
    if (variable !== undefined) state.env.set(variable, String(job.pid));
    output = joined(output, tellEnd(state, job));
  }
  return output;
}

function notMine(state: InterpreterState, spec: string): Output {
  if (/^\d+$/.test(spec)) return failure(state, NO_JOB, `wait: pid ${spec} is not a child of this shell`);
  if (spec.startsWith("%")) return failure(state, NO_JOB, `wait: ${spec}: no such job`);
  return failure(state, 1, `wait: \`${spec}': not a pid or valid job spec`);
}

async function waitForNext(
  state: InterpreterState,
  specs: readonly string[],
  variable: string | undefined,
): Promise<Output> {
  const wanted = specs.length === 0 ? ownJobs(state) : specs.flatMap((spec) => findJob(state, spec) ?? []);
  const jobs = wanted.filter(({ told, disowned }) => !told && !disowned);
  if (jobs.length === 0) return { ...NOTHING, exitCode: NO_JOB };
  const interrupted = await waitFor(state, () => jobs.some((job) => !isRunning(job)), jobs);
  if (interrupted !== null) return { ...NOTHING, exitCode: interrupted };
  const [ended] = jobs.filter((job) => !isRunning(job)).sort((a, b) => a.endedAt - b.endedAt);
  if (ended === undefined) return { ...NOTHING, exitCode: NO_JOB };
  if (variable !== undefined) state.env.set(variable, String(ended.pid));
  return tellEnd(state, ended);
}

/** Waits until something holds, the shell ends, or a signal with a trap comes; then the status of that. */
async function waitFor(
  state: InterpreterState,
  holds: () => boolean,
  jobs: readonly Job[],
): Promise<number | null> {
  const control = controlOf(state);
  while (!holds() && state.signal?.aborted !== true) {
    const [signal] = control.pending.get(state.bashPid) ?? [];
    if (signal !== undefined) return 128 + signalNumber(signal);
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        control.wakers.delete(wake);
        state.signal?.removeEventListener("abort", wake);
        resolve();
      };
      control.wakers.add(wake);
      state.signal?.addEventListener("abort", wake, { once: true });
      // Only those that run: one that has ended would wake this again and again, and no timer would come.
      for (const { done } of jobs.filter(isRunning)) void done.then(wake);
    });
  }
  return null;
}

function tellEnd(state: InterpreterState, job: Job): Output {
  job.told = true;
  const output = { ...takeOutput([job]), exitCode: job.status ?? 0 };
  const text = job.killedBy === null || job.killedBy === "TERM" ? undefined : KILLED[job.killedBy];
  if (text === undefined) return output;
  const line = `bash: line ${state.currentLine}: ${String(job.pid).padStart(5)} ${text.padEnd(23)} ${job.source}\n`;
  return { ...output, stderr: output.stderr + line };
}

/** What bash says of a job that a signal ended; of INT and PIPE it says nothing, of TERM only in `jobs`. */
const KILLED: Readonly<Record<string, string>> = {
  HUP: "Hangup",
  QUIT: "Quit",
  ABRT: "Aborted",
  KILL: "Killed",
  USR1: "User defined signal 1",
  USR2: "User defined signal 2",
  SEGV: "Segmentation fault",
  ALRM: "Alarm clock",
  TERM: "Terminated",
};

export async function jobsBuiltin(state: InterpreterState, args: readonly string[]): Promise<Output> {
  if (state.control !== undefined) await nextTurn();
  const letters = args.filter((arg) => /^-[lnprs]+$/.test(arg)).join("");
  const specs = args.filter((arg) => !arg.startsWith("-"));
  const all = ownJobs(state).filter(({ told, disowned }) => !told && !disowned);
  let output = NOTHING;
  const chosen: Job[] = [];
  for (const spec of specs) {
    const job = findJob(state, spec);
    if (job === undefined) output = joined(output, failure(state, 1, `jobs: ${spec}: no such job`));
    else chosen.push(job);
  }
  const jobs = (specs.length === 0 ? all : chosen).filter((job) => {
    return letters.includes("r") ? isRunning(job) : !letters.includes("s");
  });
  for (const job of jobs) {
    const current = job === all.at(-1) ? "+" : job === all.at(-2) ? "-" : " ";
    const line = letters.includes("p")
      ? `${job.pid}\n`
      : `[${job.number}]${current} ${letters.includes("l") ? `${job.pid} ` : " "}${stateText(job).padEnd(24)}${job.source}${isRunning(job) ? " &" : ""}\n`;
    if (!isRunning(job)) job.told = true;
    output = { ...output, stdout: output.stdout + line };
  }
  return output;
}

function stateText(job: Job): string {
  if (job.status === null) return "Running";
  if (job.killedBy !== null) return KILLED[job.killedBy] ?? job.killedBy;
  return job.status === 0 ? "Done" : `Exit ${job.status}`;
}

export async function killBuiltin(interpreter: Interpreter, args: readonly string[]): Promise<Output> {
  const { state } = interpreter;
  const [first = "", second] = args;
  if (first === "-l" || first === "-L") return listSignals(state, args.slice(1));
  let signal: string | null = "TERM";
  let specs = args;
  if (first === "-s" || first === "-n") {
    signal = second === undefined ? null : signalName(second);
    if (signal === null) return failure(state, 1, `kill: ${second ?? ""}: invalid signal specification`);
    specs = args.slice(2);
  } else if (/^-./.test(first) && first !== "--") {
    signal = signalName(first.slice(1));
    if (signal === null) return failure(state, 1, `kill: ${first.slice(1)}: invalid signal specification`);
    specs = args.slice(1);
  }
  if (specs[0] === "--") specs = specs.slice(1);
  if (specs.length === 0) {
    const text =
      "kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]\n";
    return { stdout: "", stderr: text, exitCode: 2 };
  }
  if (state.control !== undefined) await nextTurn();
  let output = NOTHING;
  let reached = false;
  for (const spec of specs) {
    const said = await killOne(interpreter, signal, spec);
    reached ||= said.exitCode === 0;
    output = joined(output, said);
  }
  return { ...output, exitCode: reached ? 0 : 1 };
}

async function killOne(interpreter: Interpreter, signal: string, spec: string): Promise<Output> {
  const { state } = interpreter;
  const probe = signal === "EXIT";
  if (spec === "0" || Number(spec) === -state.virtualPid) {
    for (const job of state.control?.jobs ?? []) if (!probe) signalJob(state, job, signal);
    return probe ? NOTHING : signalShell(interpreter, signal);
  }
  if (!/^%|^-?\d+$/.test(spec))
    return failure(state, 1, `kill: ${spec}: arguments must be process or job IDs`);
  const pid = Math.abs(Number(spec));
  const job = findJob(state, spec.replace(/^-/, ""));
  if (job === undefined && spec.startsWith("%")) return failure(state, 1, `kill: ${spec}: no such job`);
  if (job !== undefined && isRunning(job)) {
    if (pid === state.bashPid) return probe ? NOTHING : signalShell(interpreter, signal);
    if (!probe) signalJob(state, job, signal);
    return NOTHING;
  }
  if (job === undefined && (pid === state.bashPid || pid === state.virtualPid)) {
    if (probe) return NOTHING;
    if (pid === state.bashPid) return signalShell(interpreter, signal);
    send(controlOf(state), pid, signal);
    return NOTHING;
  }
  if (job === undefined && (pid === state.virtualPpid || pid === 1))
    return failure(state, 1, `kill: (${spec}) - Operation not permitted`);
  return failure(state, 1, `kill: (${spec}) - No such process`);
}

/** A job takes a signal up between two of its commands if it has a trap for it, and ends at once if not. */
function signalJob(state: InterpreterState, job: Job, signal: string): void {
  const handler = signal === "KILL" ? undefined : job.handlerOf(signal);
  if (handler === "") return;
  if (handler !== undefined) send(controlOf(state), job.pid, signal);
  else if (endsProcess(signal)) killJob(job, signal);
}

/** A signal reaches the shell that runs this: its trap runs, or it ends. */
export async function signalShell(interpreter: Interpreter, signal: string): Promise<Output> {
  const { state } = interpreter;
  const handler = signal === "KILL" ? undefined : state.traps?.handlers.get(signal);
  if (handler === "") return NOTHING;
  if (handler !== undefined) {
    const said = await runHandler(interpreter, signal, handler, null);
    return { ...said, exitCode: 0 };
  }
  if (!endsProcess(signal)) return NOTHING;
  if (signal === "KILL") state.traps?.handlers.delete("EXIT");
  throw new ExitError(128 + signalNumber(signal));
}

function listSignals(state: InterpreterState, specs: readonly string[]): Output {
  if (specs.length === 0) return { ...NOTHING, stdout: signalTable() };
  let output = NOTHING;
  for (const spec of specs) {
    const number = /^\d+$/.test(spec) ? Number(spec) : Number.NaN;
    const name = signalName(Number.isNaN(number) ? spec : String(number > 128 ? number - 128 : number));
    if (name === null)
      output = joined(output, failure(state, 1, `kill: ${spec}: invalid signal specification`));
    else {
      const shown = Number.isNaN(number) ? String(signalNumber(name)) : name;
      output = { ...output, stdout: `${output.stdout}${shown}\n` };
    }
  }
  return output;
}

export function disownBuiltin(state: InterpreterState, args: readonly string[]): Output {
  const specs = args.filter((arg) => !/^-[ahr]+$/.test(arg));
  if (args.some((arg) => /^-[hr]*a/.test(arg))) for (const job of ownJobs(state)) job.disowned = true;
  else if (specs.length === 0) {
    const job = findJob(state, "%%");
    if (job === undefined) return failure(state, 1, "disown: current: no such job");
    job.disowned = true;
  }
  for (const spec of specs) {
    const job = findJob(state, spec);
    if (job === undefined) return failure(state, 1, `disown: ${spec}: no such job`);
    job.disowned = true;
  }
  return NOTHING;
}
