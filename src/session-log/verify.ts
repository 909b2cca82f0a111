/**
 * `verifySessionLog()`: whether a log in a file is as it was written. Reads every byte and writes none, so it may run
 * while a process appends. What is cut off at the end leaves a whole log: that shows only against a head that is known
 * from elsewhere.
 */
import { constants } from "node:fs";
import { resolve } from "node:path";
import { invalidOption, isRecord, refuseUnknownOptions } from "../shared/check-options.ts";
import { isSandboxError } from "../shared/errors.ts";
import { isHash } from "./check-chain.ts";
import { HEADER_BYTES, readHeader } from "./file-log-header.ts";
import { scanRecords } from "./file-log-scan.ts";
import { type LogFile, readUpTo, systemFiles } from "./log-files.ts";
import { failed, otherFormat } from "./open-log-file.ts";
import { RunChecker } from "./run-checker.ts";

/** What is looked at. */
export interface VerifySessionLogOptions {
  readonly path: string;
  /** Events that are known to be there. */
  readonly heads?: readonly SessionLogHead[] | undefined;
}

/** An event by its place and its hash. */
export interface SessionLogHead {
  readonly runId: string;
  readonly sequence: number;
  /** 64 digits. */
  readonly hash: string;
}

/** Something that is not as it was written. */
export interface SessionLogFinding {
  /** In the file, from 1; 0 for what is not there. */
  readonly line: number;
  /** `null` when it cannot be told. */
  readonly runId: string | null;
  /** That the event should have; `null` as above. */
  readonly sequence: number | null;
  /** For people. */
  readonly what: string;
}

/** What was found. */
export interface SessionLogReport {
  readonly path: string;
  /** Whether there is no finding. */
  readonly isWhole: boolean;
  readonly events: number;
  /** The last event of each run, in the order of the first ones. A run with a finding has what it ends with. */
  readonly heads: readonly SessionLogHead[];
  /** The first thousand. */
  readonly findings: readonly SessionLogFinding[];
  readonly findingCount: number;
  /** After the last newline: an append under way, or one that was cut off and that the next opening drops. */
  readonly unfinishedBytes: number;
}

/**
 * Looks at every record of a log in a file: every edit, removal, gap, copy or change of order inside is a finding.
 *
 * @throws SandboxError `OPTION_INVALID`; `SESSION_LOG_CORRUPT` when the file is none of this format;
 * `SESSION_LOG_FAILED` when it cannot be read.
 */
export async function verifySessionLog(options: VerifySessionLogOptions): Promise<SessionLogReport> {
  const { path, heads } = checkOptions(options);
  let file: LogFile | undefined;
  try {
    file = await systemFiles.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const info = await file.stat();
    if (!info.isFile()) throw failed(path, "it is no regular file", undefined);
    return await verify(file, path, info.size, heads);
  } catch (error) {
    throw isSandboxError(error) ? error : failed(path, "it cannot be read", error);
  } finally {
    await file?.close();
  }
}

async function verify(
  file: LogFile,
  path: string,
  size: number,
  heads: readonly SessionLogHead[],
): Promise<SessionLogReport> {
  const header = readHeader(await readUpTo(file, 0, HEADER_BYTES));
  if (header === "other") throw otherFormat(path);
  const checker = new RunChecker(heads);
  const start = Math.min(size, HEADER_BYTES);
  const end = header === "torn" ? 0 : await scanRecords(file, start, size, (found) => checker.see(found));
  const { findings, findingCount } = checker.end();
  return {
    path,
    isWhole: findingCount === 0,
    events: checker.events,
    heads: checker.heads(),
    findings,
    findingCount,
    unfinishedBytes: size - end,
  };
}

function checkOptions(options: unknown): { path: string; heads: readonly SessionLogHead[] } {
  if (!isRecord(options)) throw invalidOption("path", "the path of a file");
  refuseUnknownOptions(options, ["path", "heads"]);
  const { path, heads = [] } = options;
  if (typeof path !== "string" || path === "" || path.includes("\0"))
    throw invalidOption("path", "the path of a file");
  if (!Array.isArray(heads) || !heads.every(isHead))
    throw invalidOption("heads", "a list of { runId, sequence, hash }, the hash in 64 digits of 0-9 a-f");
  return { path: resolve(path), heads };
}

function isHead(value: unknown): value is SessionLogHead {
  if (!isRecord(value)) return false;
  const { runId, sequence, hash } = value;
  if (typeof runId !== "string" || !isHash(hash)) return false;
  return typeof sequence === "number" && Number.isSafeInteger(sequence) && sequence > 0;
}
