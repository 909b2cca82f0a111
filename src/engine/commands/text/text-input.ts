/** Reading and writing text as the programs here do: operands that are files or `-`, bytes kept whatever they are. */
import { type CommandContext, type ExecResult, latin1FromBytes } from "just-bash";
import { escapeStrayBytes } from "../../../workspace/stray-bytes.ts";
import { bytesToText, textToBytes } from "../../byte-text.ts";
import { reasonOf } from "../reason.ts";

/** The input of one program: its standard input can be read once. */
export class TextInput {
  readonly #ctx: CommandContext;
  #isStdinRead = false;

  constructor(ctx: CommandContext) {
    this.#ctx = ctx;
  }

  /** What is left of standard input. */
  stdin(): string {
    if (this.#isStdinRead) return "";
    this.#isStdinRead = true;
    return bytesToText(latin1FromBytes(this.#ctx.stdin));
  }

  /** What another program would read there; nothing once it was read. */
  peekStdin(): string {
    return this.#isStdinRead ? "" : bytesToText(latin1FromBytes(this.#ctx.stdin));
  }

  /** An operand's text, or why there is none, in the C library's words. */
  async read(operand: string): Promise<{ text: string } | { why: string }> {
    if (operand === "-" || operand === "/dev/stdin") return { text: this.stdin() };
    if (operand === "") return { why: "No such file or directory" };
    try {
      const path = this.#ctx.fs.resolvePath(this.#ctx.cwd, operand);
      return { text: escapeStrayBytes(await this.#ctx.fs.readFileBuffer(path)) };
    } catch (error) {
      return { why: reasonOf(error) };
    }
  }

  /** Whether an operand is a directory. */
  async isDirectory(operand: string): Promise<boolean> {
    if (operand === "-") return false;
    const path = this.#ctx.fs.resolvePath(this.#ctx.cwd, operand);
    const stat = await this.#ctx.fs.stat(path).catch(() => null);
    return stat?.isDirectory ?? false;
  }
}

/** Collects what a program writes; text turns into bytes at the end. */
export class Output {
  #parts: string[] = [];
  #pending = "";
  stderr = "";
  exitCode = 0;
  /** For programs that set groups of lines apart. */
  hasShownLines = false;

  write(text: string): void {
    this.#pending += text;
    if (this.#pending.length > 65_536) {
      this.#parts.push(textToBytes(this.#pending));
      this.#pending = "";
    }
  }

  /** Says what went wrong; the program goes on and ends with this status. */
  fail(line: string, exitCode = 1): void {
    this.stderr += `${line}\n`;
    this.exitCode = Math.max(this.exitCode, exitCode);
  }

  result(): ExecResult {
    this.#parts.push(textToBytes(this.#pending));
    this.#pending = "";
    return {
      stdout: this.#parts.join(""),
      stdoutKind: "bytes",
      stderr: this.stderr,
      exitCode: this.exitCode,
    };
  }
}
