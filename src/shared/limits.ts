/** What one command may use: default, unit and reason of each limit. */
export interface SandboxLimits {
  /** Milliseconds until a command is killed; a call's own `timeoutMs` goes first. @default 120000 */
  readonly timeoutMs: number;
  /** Milliseconds that an idle worker has to leave by itself before TERM, and again before KILL. @default 500 */
  readonly graceMs: number;
  /** Milliseconds from spawn until the worker must have answered. @default 30000 */
  readonly startTimeoutMs: number;
  /** Bytes kept per output stream: half from the head, half from the tail. @default 1048576 */
  readonly maxOutputBytes: number;
  /** Bytes per output stream after which the command is killed; they stream without being kept. @default 1073741824 */
  readonly maxStreamBytes: number;
  /** Bytes of script text. @default 16777216 */
  readonly maxScriptBytes: number;
  /**
   * Resident MiB of the worker, all its threads and the 60 or so that it starts with included; above it the command
   * is killed. Not in the in-process adapter. @default 1024
   */
  readonly maxMemoryMb: number;
  /**
   * Bytes that one command, or one call of `fs` between commands, may write to files; each file, directory or link
   * that it creates counts 4096 more. Above it writes fail with `EDQUOT` («Disk quota exceeded»), and the script
   * goes on. @default 10737418240
   */
  readonly maxWriteBytes: number;
  /** Tool calls per command. @default 100000 */
  readonly maxToolCalls: number;
  /** Tool calls of one command that run at the same time; more wait. @default 64 */
  readonly maxToolConcurrency: number;
}

export const DEFAULT_LIMITS: SandboxLimits = {
  timeoutMs: 120_000,
  graceMs: 500,
  startTimeoutMs: 30_000,
  maxOutputBytes: 1024 * 1024,
  maxStreamBytes: 1024 * 1024 * 1024,
  maxScriptBytes: 16 * 1024 * 1024,
  maxMemoryMb: 1024,
  maxWriteBytes: 10 * 1024 * 1024 * 1024,
  maxToolCalls: 100_000,
  maxToolConcurrency: 64,
};
