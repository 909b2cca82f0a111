import { type Command, defineCommand, type ExecResult, latin1FromBytes } from "just-bash";
import { quote } from "../../shared/quote.ts";
import type { PartDeadline } from "../shell-signal.ts";

/** What `timeout` needs of the shell. */
export interface PartLimiter {
  limitPart(timeoutMs: number): PartDeadline;
}

interface Request {
  readonly timeoutMs: number;
  /** The status after a time-out. */
  readonly lateStatus: number;
  readonly command: readonly string[];
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { HUP: 1, INT: 2, QUIT: 3, KILL: 9, TERM: 15 };
const KILL = 9;
/** What the engine says of a command that it ended; `timeout` says nothing. */
const ABORTED = /(?:bash: execution aborted\n)+$/;

/**
 * `timeout` that also ends busy loops of bash: the engine's own waits for a timer, which never fires while one
 * runs. Takes `infinity` and every form of a number, and fails with 125 as coreutils does. A loop inside one
 * command (awk, sed, jq) is not seen; the deadline of the whole script ends that.
 */
export function timeoutCommand(limiter: PartLimiter): Command {
  return defineCommand("timeout", async (args, ctx) => {
    if (args[0] === "--help" && ctx.origCommand !== undefined) return ctx.origCommand(args);
    const request = readArguments(args);
    if (typeof request === "string") return failure(125, request);
    const [name = "", ...rest] = request.command;
    const { exec } = ctx;
    if (exec === undefined) return failure(126, "the shell runs no commands here");
    const run = (signal?: AbortSignal): Promise<ExecResult> =>
      exec(quote(name), {
        cwd: ctx.cwd,
        stdin: latin1FromBytes(ctx.stdin),
        stdinKind: "bytes",
        args: rest,
        ...(signal === undefined ? {} : { signal }),
      });
    if (request.timeoutMs === Number.POSITIVE_INFINITY) return run();
    const part = limiter.limitPart(request.timeoutMs);
    try {
      const result = await run(part.signal);
      if (!part.signal.aborted) return result;
      return { ...result, stderr: result.stderr.replace(ABORTED, ""), exitCode: request.lateStatus };
    } catch (error) {
      if (!part.signal.aborted) throw error;
      return { stdout: "", stderr: "", exitCode: request.lateStatus };
    } finally {
      part.release();
    }
  });
}

/** Milliseconds of `5`, `0.5m`, `infinity`; `null` for what is no duration. */
export function toMilliseconds(duration: string): number | null {
  const match = /^(inf|infinity|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([smhd]?)$/i.exec(duration);
  if (match === null) return null;
  const [, amount = "", unit = ""] = match;
  if (/^inf/i.test(amount)) return Number.POSITIVE_INFINITY;
  return Number(amount) * (UNIT_MS[unit === "" ? "s" : unit] ?? Number.NaN);
}

/** What is asked for, or why it cannot be. */
function readArguments(args: readonly string[]): Request | string {
  let signal = SIGNAL_NUMBERS.TERM ?? 15;
  let preserveStatus = false;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      at++;
      break;
    }
    if (!arg.startsWith("-") || arg === "-") break;
    if (/^(-v|-f|--verbose|--foreground)$/.test(arg)) continue;
    if (/^(-p|--preserve-status)$/.test(arg)) {
      preserveStatus = true;
      continue;
    }
    const option = /^(?:-([ks])(.*)|--(kill-after|signal)(?:=(.*))?)$/s.exec(arg);
    if (option === null) return `unrecognized option '${arg}'`;
    const given = option[2] || option[4];
    const value = given ?? args[++at];
    if (value === undefined) return `option requires an argument -- '${arg}'`;
    if (option[1] === "s" || option[3] === "signal") {
      const number = toSignalNumber(value);
      if (number === null) return `‘${value}’: invalid signal`;
      signal = number;
    } else if (toMilliseconds(value) === null) return `invalid time interval ‘${value}’`;
  }
  const [duration, ...command] = args.slice(at);
  if (duration === undefined || command.length === 0) return "missing operand";
  const timeoutMs = toMilliseconds(duration);
  if (timeoutMs === null) return `invalid time interval ‘${duration}’`;
  return {
    timeoutMs: timeoutMs === 0 ? Number.POSITIVE_INFINITY : timeoutMs,
    lateStatus: preserveStatus || signal === KILL ? 128 + signal : 124,
    command,
  };
}

function toSignalNumber(name: string): number | null {
  if (/^\d+$/.test(name)) return Number(name) <= 64 ? Number(name) : null;
  return SIGNAL_NUMBERS[name.toUpperCase().replace(/^SIG/, "")] ?? null;
}

function failure(exitCode: number, why: string): ExecResult {
  return { stdout: "", stderr: `timeout: ${why}\nTry 'timeout --help' for more information.\n`, exitCode };
}
