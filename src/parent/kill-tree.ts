/** The end of a worker with all that it has started, on each system in its own way. */
import { spawn } from "node:child_process";
import { win32 } from "node:path";

/** What this needs of the system. */
export interface KillPorts {
  readonly platform: string;
  /** Where Windows lies, from the host's environment. */
  readonly systemRoot: string | undefined;
  /** As `process.kill`. Throws when nobody is there. */
  signal(pid: number, signal: "SIGKILL"): void;
  /** Runs a program; `done` is called once, when it has ended or could not be started. */
  run(command: string, args: readonly string[], done: () => void): void;
}

/** Milliseconds that Windows' own program may take before the worker is ended alone. */
const TASKKILL_TIMEOUT_MS = 5_000;

/**
 * Kills `pid` and what it has started. `killAlone` ends that process and no other, and may be called after its
 * exit. On Windows this resolves nothing at once: wait for the exit.
 */
export function killTree(pid: number, killAlone: () => void, ports: KillPorts = HOST): void {
  if (ports.platform === "win32") {
    // There are no groups. The program goes from parent to child, so the worker must be there while it looks.
    const taskkill = win32.join(ports.systemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
    ports.run(taskkill, ["/PID", String(pid), "/T", "/F"], killAlone);
  } else if (!killGroup(pid, ports)) killAlone();
}

/** The whole group at once: the worker, what stands around it, and what it has started. Windows has no groups. */
export function killGroup(pid: number | undefined, ports: KillPorts = HOST): boolean {
  if (pid === undefined || ports.platform === "win32") return false;
  try {
    ports.signal(-pid, "SIGKILL");
    return true;
  } catch {
    // Nobody is in it, or not yet.
    return false;
  }
}

const HOST: KillPorts = {
  platform: process.platform,
  systemRoot: process.env.SystemRoot,
  signal: (pid, signal) => void process.kill(pid, signal),
  run(command, args, done) {
    const child = spawn(command, args, { stdio: "ignore", windowsHide: true, timeout: TASKKILL_TIMEOUT_MS });
    let isDone = false;
    const once = (): void => {
      if (!isDone) done();
      isDone = true;
    };
    child.once("error", once).once("exit", once);
  },
};
