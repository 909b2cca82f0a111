import { type Command, defineCommand } from "just-bash";
import { bytesToText } from "../../byte-text.ts";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { byteAnswer, linesOf } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";
import { widthOf } from "./text-width.ts";

type Count = "lines" | "words" | "chars" | "bytes" | "longest";

const COUNTS: readonly Count[] = ["lines", "words", "chars", "bytes", "longest"];

const program: GnuProgram<Count | "files0"> = {
  name: "wc",
  options: {
    bytes: { short: "c", long: "bytes" },
    chars: { short: "m", long: "chars" },
    lines: { short: "l", long: "lines" },
    words: { short: "w", long: "words" },
    longest: { short: "L", long: "max-line-length" },
    files0: { long: "files0-from", value: "required" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: wc [OPTION]... [FILE]...
  or:  wc [OPTION]... --files0-from=F
Print newline, word, and byte counts for each FILE, and a total line if
more than one FILE is specified.

  -c, --bytes            print the byte counts
  -m, --chars            print the character counts
  -l, --lines            print the newline counts
      --files0-from=F    read input from the files named in F, NUL after each
  -L, --max-line-length  print the maximum display width
  -w, --words            print the word counts
      --help             display this help and exit
      --version          output version information and exit
`,
};

/** `wc` as coreutils has it. */
export const wc: Command = defineCommand("wc", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { has, value } = parsed.args;
  const asked = COUNTS.filter((count) => has(count));
  const shown: readonly Count[] = asked.length > 0 ? asked : ["lines", "words", "bytes"];
  let { operands } = parsed.args;
  const list = value("files0");
  if (list !== undefined) {
    const names = await readOperands("wc", [list], ctx);
    if (names.stderr !== "") return byteAnswer("", names.stderr);
    operands = linesOf(names.files[0]?.bytes ?? "", "\0").map(bytesToText);
  }
  const { files, stderr } = await readOperands("wc", operands, ctx);
  const rows = files.map(({ name, bytes }) => ({
    name: operands.length === 0 ? "" : name,
    counts: shown.map((count) => counted(bytes, count)),
  }));
  if (operands.length > 1) {
    const total = shown.map((count, at) => {
      const all = rows.map(({ counts }) => counts[at] ?? 0);
      return count === "longest" ? Math.max(0, ...all) : all.reduce((sum, one) => sum + one, 0);
    });
    rows.push({ name: "total", counts: total });
  }
  const width = await widthOfNumbers(ctx, operands, shown.length);
  const lines = rows.map(({ name, counts }) => {
    const numbers = counts.map((count) => String(count).padStart(width)).join(" ");
    return `${numbers}${name === "" ? "" : ` ${name}`}\n`;
  });
  return { stdout: lines.join(""), stderr, exitCode: stderr === "" ? 0 : 1 };
});

/** As wide as the sizes of the files are long; 7 where a size is not known beforehand. */
async function widthOfNumbers(
  { fs, cwd }: Parameters<Command["execute"]>[1],
  operands: readonly string[],
  counts: number,
): Promise<number> {
  if (operands.length <= 1 && counts === 1) return 1;
  let [sum, least] = [0, 1];
  for (const operand of operands.length === 0 ? ["-"] : operands) {
    const stat = operand === "-" ? null : await fs.stat(fs.resolvePath(cwd, operand)).catch(() => undefined);
    if (stat === undefined) continue;
    if (stat?.isFile) sum += stat.size;
    else least = 7;
  }
  return Math.max(least, String(sum).length);
}

function counted(bytes: string, count: Count): number {
  switch (count) {
    case "bytes":
      return bytes.length;
    case "lines":
      return bytes.split("\n").length - 1;
    case "words":
      return bytesToText(bytes).match(/[^\s\p{Cc}]+/gu)?.length ?? 0;
    case "chars":
      // Bytes that are no character count for nothing.
      return [
        ...bytesToText(bytes).replace(/[\udc80-\udcff]/g, (unit, at: number, text: string) =>
          /[\ud800-\udbff]/.test(text[at - 1] ?? "") ? unit : "",
        ),
      ].length;
    case "longest":
      return Math.max(
        0,
        ...bytesToText(bytes)
          .split(/[\n\r\f]/)
          .map(displayWidth),
      );
  }
}

function displayWidth(line: string): number {
  let width = 0;
  for (const part of line.split(/(\t)/))
    width = part === "\t" ? width + 8 - (width % 8) : width + widthOf(part);
  return width;
}
