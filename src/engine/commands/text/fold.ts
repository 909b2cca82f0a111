import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { byteAnswer } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";

type Key = "bytes" | "spaces" | "width";

const program: GnuProgram<Key> = {
  name: "fold",
  options: {
    bytes: { short: "b", long: "bytes" },
    spaces: { short: "s", long: "spaces" },
    width: { short: "w", long: "width", value: "required" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: fold [OPTION]... [FILE]...
Wrap input lines in each FILE, writing to standard output.

  -b, --bytes         count bytes rather than columns
  -s, --spaces        break at spaces
  -w, --width=WIDTH   use WIDTH columns instead of 80
      --help          display this help and exit
      --version       output version information and exit
`,
};

/** `fold` as coreutils has it: a byte is a column, but for tabs, backspaces and returns. */
export const fold: Command = defineCommand("fold", async (args, ctx) => {
  const parsed = parseGnuOptions(
    program,
    args.map((arg) => (/^-\d+$/.test(arg) ? `-w${arg.slice(1)}` : arg)),
  );
  if (!parsed.ok) return parsed.result;
  const { operands, has, value } = parsed.args;
  const given = value("width") ?? "80";
  if (!/^\d+$/.test(given) || Number(given) === 0) {
    const why = /^\d+$/.test(given) ? `‘${given}’: Numerical result out of range` : `‘${given}’`;
    return byteAnswer("", `fold: invalid number of columns: ${why}\n`);
  }
  const { files, stderr } = await readOperands("fold", operands, ctx);
  const folded = files.map(({ bytes }) => foldText(bytes, Number(given), has("bytes"), has("spaces")));
  return byteAnswer(folded.join(""), stderr);
});

function foldText(text: string, width: number, countsBytes: boolean, atSpaces: boolean): string {
  const parts: string[] = [];
  let line = "";
  let column = 0;
  const advance = (from: number, char: string): number => {
    if (countsBytes) return from + 1;
    if (char === "\b") return Math.max(0, from - 1);
    if (char === "\r") return 0;
    return char === "\t" ? from + 8 - (from % 8) : from + 1;
  };
  const columnOf = (part: string): number => [...part].reduce(advance, 0);
  for (const char of text) {
    if (char === "\n") {
      parts.push(line, "\n");
      line = "";
      column = 0;
      continue;
    }
    let next = advance(column, char);
    while (next > width && line !== "") {
      const cut = atSpaces ? Math.max(line.lastIndexOf(" "), line.lastIndexOf("\t")) + 1 : 0;
      parts.push(cut > 0 ? line.slice(0, cut) : line, "\n");
      line = cut > 0 ? line.slice(cut) : "";
      column = columnOf(line);
      next = advance(column, char);
    }
    line += char;
    column = next;
  }
  return parts.join("") + line;
}
