import { Buffer, isUtf8 } from "node:buffer";
import type { ExecResult } from "just-bash";
import { textToBytes } from "../../byte-text.ts";
import { reasonOf } from "../reason.ts";

/** Collects what one program prints, in order, and how it ends. Output is bytes: names need not be UTF-8. */
export class Report {
  stderr = "";
  exitCode = 0;
  readonly #program: string;
  readonly #parts: string[] = [];

  constructor(program: string) {
    this.#program = program;
  }

  /** Adds text to standard output. */
  print(text: string): void {
    this.#parts.push(textToBytes(text));
  }

  /** Adds bytes, one per character, to standard output. */
  printBytes(bytes: string): void {
    this.#parts.push(bytes);
  }

  /** Adds what another command printed. */
  pass(result: ExecResult): void {
    const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary";
    this.#parts.push(isBytes ? result.stdout : textToBytes(result.stdout));
    this.stderr += result.stderr;
  }

  /** Says what went wrong; the program goes on, and ends with the status. */
  fail(why: string, exitCode = 1): void {
    this.stderr += `${this.#program}: ${why}\n`;
    this.exitCode = exitCode;
  }

  /** Says that a call of the file system failed. */
  failed(what: string, error: unknown, exitCode = 1): void {
    this.fail(`${what}: ${reasonOf(error)}`, exitCode);
  }

  result(): ExecResult {
    const bytes = this.#parts.join("");
    const { stderr, exitCode } = this;
    if (PLAIN.test(bytes)) return { stdout: bytes, stderr, exitCode };
    const buffer = Buffer.from(bytes, "latin1");
    // Text wherever it is text: the engine joins output of bytes with messages wrongly under `2>&1`.
    if (isUtf8(buffer)) return { stdout: buffer.toString("utf8"), stderr, exitCode };
    return { stdout: bytes, stdoutKind: "bytes", stderr, exitCode };
  }
}

const PLAIN = /^[\0-\x7f]*$/;
