/** Results of programs, and what they read: files and standard input as bytes. */
import { Buffer } from "node:buffer";
import { type CommandContext, type ExecResult, latin1FromBytes } from "just-bash";
import { reasonOf } from "../reason.ts";

/** A result with text as output. */
export function answer(stdout: string, stderr = "", exitCode = stderr === "" ? 0 : 1): ExecResult {
  return { stdout, stderr, exitCode };
}

/** A result with bytes as output. */
export function answerBytes(stdout: Uint8Array, stderr = "", exitCode = stderr === "" ? 0 : 1): ExecResult {
  return { stdout: toBuffer(stdout).toString("latin1"), stdoutKind: "bytes", stderr, exitCode };
}

/** Standard input, one byte per element. */
export function stdinBytes({ stdin }: CommandContext): Buffer {
  return Buffer.from(latin1FromBytes(stdin), "latin1");
}

/** The content of a file, of standard input for `-`; or why it cannot be read, in the words of the C library. */
export async function inputBytes(ctx: CommandContext, operand: string): Promise<Buffer | string> {
  if (operand === "-" || operand === "/dev/stdin") return stdinBytes(ctx);
  try {
    return toBuffer(await ctx.fs.readFileBuffer(pathOf(ctx, operand)));
  } catch (error) {
    return reasonOf(error);
  }
}

/** The path that an operand names; an empty one names nothing. */
export function pathOf({ fs, cwd }: CommandContext, operand: string): string {
  if (operand === "") return "";
  const path = fs.resolvePath(cwd, operand);
  // The slash at the end asks for a directory, which a name made plain no longer does.
  return operand.endsWith("/") && path !== "/" ? `${path}/` : path;
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
