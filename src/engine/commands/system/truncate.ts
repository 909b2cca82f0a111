import { type Command, type CommandContext, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { reasonOf } from "../reason.ts";
import { answer, pathOf } from "./answer.ts";
import { toBytes } from "./sizes.ts";

type Key = "noCreate" | "blocks" | "reference" | "size";

const program: GnuProgram<Key> = {
  name: "truncate",
  options: {
    noCreate: { short: "c", long: "no-create" },
    blocks: { short: "o", long: "io-blocks" },
    reference: { short: "r", long: "reference", value: "required" },
    size: { short: "s", long: "size", value: "required" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: truncate OPTION... FILE...
Cut each FILE to a size, or lengthen it with zero bytes. A missing FILE is created.

  -c, --no-create       create no files
  -o, --io-blocks       SIZE counts blocks of 4096 bytes
  -r, --reference=FILE  take the size of FILE
  -s, --size=SIZE       SIZE in bytes, with K, M, G (1024) or KB, MB, GB (1000);
                          + more, - less, < at most, > at least, / down to, % up to a multiple
      --help            display this help and exit
      --version         output version information and exit
`,
};

const BLOCK_BYTES = 4096;

/** `writeFile` of `MountFs`, which the engine hands on with all arguments. */
interface Resizer {
  writeFile(path: string, content: string, encoding: "utf8", place: { size: number }): Promise<void>;
}

interface Size {
  readonly sign: string;
  readonly bytes: number;
}

/** `truncate` as coreutils has it. */
export const truncate: Command = defineCommand("truncate", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has, value } = parsed.args;
  const reference = value("reference");
  const asked = value("size");
  let size: Size | null = null;
  if (asked !== undefined) {
    const [, sign = "", amount = ""] = /^\s*([-+<>/%]?)\s*(.*)$/s.exec(asked) ?? [];
    const bytes = toBytes(amount);
    if (bytes === null) return answer("", `truncate: Invalid number: ‘${asked}’\n`);
    if (bytes === 0 && (sign === "/" || sign === "%")) return answer("", "truncate: division by zero\n");
    size = { sign, bytes: has("blocks") ? bytes * BLOCK_BYTES : bytes };
  }
  if (reference === undefined && size === null)
    return usageError(program, "you must specify either ‘--size’ or ‘--reference’");
  if (reference !== undefined && size !== null && size.sign === "")
    return usageError(program, "you must specify a relative ‘--size’ with ‘--reference’");
  if (has("blocks") && size === null)
    return usageError(program, "‘--io-blocks’ was specified but ‘--size’ was not");
  if (operands.length === 0) return usageError(program, "missing file operand");

  let referenceBytes: number | null = null;
  if (reference !== undefined) {
    const stat = await ctx.fs.stat(pathOf(ctx, reference)).catch(reasonOf);
    if (typeof stat === "string") return answer("", `truncate: cannot stat '${reference}': ${stat}\n`);
    referenceBytes = stat.size;
  }
  let stderr = "";
  for (const operand of operands) {
    const why = await resize(ctx, operand, size, referenceBytes, has("noCreate"));
    if (why !== null) stderr += `truncate: ${why}\n`;
  }
  return answer("", stderr);
});

async function resize(
  ctx: CommandContext,
  operand: string,
  size: Size | null,
  referenceBytes: number | null,
  noCreate: boolean,
): Promise<string | null> {
  const path = pathOf(ctx, operand);
  const cannotOpen = (why: string): string => `cannot open '${operand}' for writing: ${why}`;
  if (!(await ctx.fs.exists(path))) {
    if (noCreate) return null;
    const failure = await ctx.fs.writeFile(path, "").catch(reasonOf);
    if (failure !== undefined) return cannotOpen(failure);
  }
  const stat = await ctx.fs.stat(path).catch(reasonOf);
  if (typeof stat === "string") return cannotOpen(stat);
  if (stat.isDirectory) return cannotOpen("Is a directory");
  const target = newSize(referenceBytes ?? stat.size, size);
  if (target > Number.MAX_SAFE_INTEGER)
    return `failed to truncate '${operand}' at ${target} bytes: File too large`;
  const failure = await (ctx.fs as unknown as Resizer)
    .writeFile(path, "", "utf8", { size: target })
    .catch(reasonOf);
  return failure === undefined ? null : cannotOpen(failure);
}

function newSize(present: number, size: Size | null): number {
  if (size === null) return present;
  const { sign, bytes } = size;
  if (sign === "+") return present + bytes;
  if (sign === "-") return Math.max(0, present - bytes);
  if (sign === "<") return Math.min(present, bytes);
  if (sign === ">") return Math.max(present, bytes);
  if (sign === "/") return present - (present % bytes);
  if (sign === "%") return Math.ceil(present / bytes) * bytes;
  return bytes;
}
