/** `zcat` and `zgrep`: programs that read gzip files, and with `-f` others too. */
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { quote } from "../../../shared/quote.ts";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { inputBytes } from "../system/answer.ts";

const zcatProgram: GnuProgram<"force" | "stdout" | "keep" | "quiet"> = {
  name: "zcat",
  options: {
    force: { short: "f", long: "force" },
    stdout: { short: "c", long: "stdout" },
    keep: { short: "k", long: "keep" },
    quiet: { short: "q", long: "quiet" },
  },
  compatibleWith: "gzip 1.12",
  help: `Usage: zcat [OPTION]... [FILE]...
Uncompress FILEs to standard output.

  -f, --force       force; read compressed data even from a terminal, and files that are not compressed as they are
  -q, --quiet       suppress all warnings
      --help        display this help and exit
      --version     output version information and exit
`,
};

export const zcat: Command = defineCommand("zcat", async (args, ctx) => {
  const parsed = parseGnuOptions(zcatProgram, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has } = parsed.args;
  const parts: Buffer[] = [];
  let stderr = "";
  for (const operand of operands.length === 0 ? ["-"] : operands) {
    const read = await readGzip(ctx, operand, has("force"));
    if (typeof read === "string") stderr += `\ngzip: ${read}\n`;
    else parts.push(read);
  }
  const stdout = Buffer.concat(parts).toString("latin1");
  return { stdout, stdoutKind: "bytes", stderr, exitCode: stderr === "" ? 0 : 1 };
});

/** The options of grep that take a value apart from their letter. */
const WITH_VALUE = /^-[a-zA-Z]*[efmABC]$/;

export const zgrep: Command = defineCommand("zgrep", async (args, ctx) => {
  if (ctx.exec === undefined) return failure("the shell runs no commands here");
  const options: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!arg.startsWith("-") || arg === "-") operands.push(arg);
    else options.push(arg, ...(WITH_VALUE.test(arg) ? [args[++at] ?? ""] : []));
  }
  const namesPattern = options.some((option) => /^-[a-zA-Z]*[ef]|^--(regexp|file)/.test(option));
  const pattern = namesPattern ? [] : ["-e", operands.shift() ?? ""];
  if (pattern[1] === "" && args.length === 0) return failure("usage: zgrep [grep_options] pattern [files]");
  const files = operands.length === 0 ? ["-"] : operands;
  const result: ExecResult = { stdout: "", stderr: "", exitCode: 1, stdoutKind: "bytes" };
  for (const file of files) {
    const read = await readGzip(ctx, file, true);
    if (typeof read === "string") {
      result.stderr += `gzip: ${read}\n`;
      result.exitCode = 2;
      continue;
    }
    const label = file === "-" ? "(standard input)" : file;
    const named = files.length > 1 && !options.some((option) => /^-[a-zA-Z]*h/.test(option)) ? ["-H"] : [];
    const line = ["grep", `--label=${label}`, ...named, ...options, ...pattern].map(quote).join(" ");
    const one = await ctx.exec(line, { cwd: ctx.cwd, stdin: read.toString("latin1"), stdinKind: "bytes" });
    result.stdout += one.stdoutKind === "bytes" ? one.stdout : Buffer.from(one.stdout).toString("latin1");
    result.stderr += one.stderr;
    if (one.exitCode > 1 || result.exitCode === 1) result.exitCode = Math.max(one.exitCode, 0);
  }
  return result;
});

function failure(why: string): ExecResult {
  return { stdout: "", stderr: `zgrep: ${why}\n`, exitCode: 2 };
}

/** What is in a gzip file, or why it cannot be read. A name without its `.gz` will do. */
async function readGzip(ctx: CommandContext, operand: string, takesAny: boolean): Promise<Buffer | string> {
  let read = await inputBytes(ctx, operand);
  if (typeof read === "string") {
    const longer = operand.endsWith(".gz") ? read : await inputBytes(ctx, `${operand}.gz`);
    if (typeof longer === "string") return `${operand}: ${read}`;
    read = longer;
  }
  const isGzip = read[0] === 0x1f && read[1] === 0x8b;
  if (!isGzip) return takesAny || read.length === 0 ? read : `${operand}: not in gzip format`;
  try {
    return gunzipSync(read);
  } catch {
    return `${operand}: unexpected end of file`;
  }
}
