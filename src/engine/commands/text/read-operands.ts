/** The content of files named as operands, as a byte string; `-` and no operand at all mean standard input. */
import { type CommandContext, latin1FromBytes } from "just-bash";
import { reasonOf } from "../reason.ts";

/** What was read, and what the program says of the rest. */
export interface OperandBytes {
  /** One per operand that could be read. */
  readonly files: readonly { readonly name: string; readonly bytes: string }[];
  /** One line per operand that could not. */
  readonly stderr: string;
}

/** Reads the operands in order; `program` begins the error lines. `noneIsStdin`: what no operand at all means. */
export async function readOperands(
  program: string,
  operands: readonly string[],
  ctx: CommandContext,
  noneIsStdin = true,
): Promise<OperandBytes> {
  const files: { name: string; bytes: string }[] = [];
  let stderr = "";
  for (const name of operands.length === 0 && noneIsStdin ? ["-"] : operands) {
    if (name === "-") {
      files.push({ name, bytes: latin1FromBytes(ctx.stdin) });
      continue;
    }
    try {
      const buffer = await ctx.fs.readFileBuffer(ctx.fs.resolvePath(ctx.cwd, name));
      const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength).toString("latin1");
      files.push({ name, bytes });
    } catch (error) {
      stderr += `${program}: ${name}: ${reasonOf(error)}\n`;
    }
  }
  return { files, stderr };
}
