/** One worker of a cell, seen and harmed from outside. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { descendants, isAlive, until } from "../helpers/processes.ts";
import type { Fault } from "./matrix.ts";

/** The signal's bit in a mask of `/proc`; its number is 12 wherever these tests run. */
const USR2_BIT = 1n << 11n;

/** How the worker's program is named in its argv: a jail shows the folder under a name of its own. */
export interface Program {
  readonly file: string;
  readonly argv: string;
}

/** The child of this process that a worker is, or is inside of. */
export function outermost(pid: number): number {
  return descendants(process.pid).find((above) => above === pid || descendants(above).includes(pid)) ?? pid;
}

/** Process id of the one worker that is far enough to do what a signal tells it. */
export async function findGuest(program: Program): Promise<number> {
  let found: number | undefined;
  await until(() => {
    found = guests(program).find(listensToUsr2);
    return found !== undefined;
  }, 20_000);
  return found ?? 0;
}

/** All that run the program; what stands around a jailed one is not counted. */
function guests({ argv }: Program): number[] {
  return descendants(process.pid).filter((pid) => {
    const words = read(`/proc/${pid}/cmdline`).split("\0");
    return words.includes(argv) && descendants(pid).length === 0;
  });
}

function listensToUsr2(pid: number): boolean {
  const [, mask = "0"] = /^SigCgt:\s+([0-9a-f]+)$/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return (BigInt(`0x${mask}`) & USR2_BIT) !== 0n;
}

/** Lets workers that start from here on say nothing before they are told their fault. */
export function holdStarts({ file }: Program, on: boolean): void {
  const hold = join(dirname(file), "hold");
  if (on) writeFileSync(hold, "");
  else rmSync(hold, { force: true });
}

/** Names the fault of workers that start from here on, without its coming. */
export function announce({ file }: Program, fault: Fault): void {
  writeFileSync(join(dirname(file), "fault"), fault);
}

/** Harms a worker: at once when it comes from outside, else as soon as its event loop sees the signal. */
export function harm(program: Program, pid: number, fault: Fault): void {
  if (isFromOutside(fault)) process.kill(pid, fault === "kill" ? "SIGKILL" : "SIGSTOP");
  else signal(program, pid, fault);
}

/** Resolves when the fault is there; `said` is what the worker has written to stderr. */
export async function untilHarmed(pid: number, fault: Fault, said: () => string): Promise<void> {
  if (fault === "kill") await until(() => !isAlive(pid));
  else if (fault === "stop") await until(() => /\) T /.test(read(`/proc/${pid}/stat`)));
  else await until(() => said().includes("fault\n"));
}

/** Lets the fault come once the worker has written so many bytes more, in the middle of a frame. */
export async function harmAfterOutput(
  program: Program,
  pid: number,
  fault: Fault,
  bytes: number,
  said: () => string,
): Promise<void> {
  if (isFromOutside(fault)) {
    void untilMoved(pid, "wchar", bytes).then(() => harm(program, pid, fault));
    return;
  }
  signal(program, pid, `${fault} @${bytes}`);
  await until(() => said().includes("armed\n"));
}

/** Resolves in the turn in which the worker has read (`rchar`) or written (`wchar`) so many bytes more. */
export async function untilMoved(pid: number, counter: "rchar" | "wchar", bytes: number): Promise<void> {
  const moved = (): number =>
    Number(new RegExp(`^${counter}: (\\d+)$`, "m").exec(read(`/proc/${pid}/io`))?.[1]);
  const start = moved();
  // The other end of the pipe is this process: what the worker has moved is at most a pipe ahead of this loop.
  while (moved() - start < bytes) await new Promise((resolve) => setImmediate(resolve));
}

function isFromOutside(fault: Fault): fault is "kill" | "stop" {
  return fault === "kill" || fault === "stop";
}

function signal({ file }: Program, pid: number, what: string): void {
  writeFileSync(join(dirname(file), "fault"), what);
  process.kill(pid, "SIGUSR2");
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // Gone between the listing and the look.
    return "";
  }
}
