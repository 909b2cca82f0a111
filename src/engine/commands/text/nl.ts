import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { linesOf } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";

type Key =
  | "body"
  | "header"
  | "footer"
  | "delimiter"
  | "increment"
  | "blankLines"
  | "format"
  | "keep"
  | "separator"
  | "start"
  | "width";

const program: GnuProgram<Key> = {
  name: "nl",
  options: {
    body: { short: "b", long: "body-numbering", value: "required" },
    header: { short: "h", long: "header-numbering", value: "required" },
    footer: { short: "f", long: "footer-numbering", value: "required" },
    delimiter: { short: "d", long: "section-delimiter", value: "required" },
    increment: { short: "i", long: "line-increment", value: "required" },
    blankLines: { short: "l", long: "join-blank-lines", value: "required" },
    format: { short: "n", long: "number-format", value: "required" },
    keep: { short: "p", long: "no-renumber" },
    separator: { short: "s", long: "number-separator", value: "required" },
    start: { short: "v", long: "starting-line-number", value: "required" },
    width: { short: "w", long: "number-width", value: "required" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: nl [OPTION]... [FILE]...
Write each FILE to standard output, with line numbers added.

  -b, --body-numbering=STYLE      use STYLE for numbering body lines
  -d, --section-delimiter=CC      use CC for logical page delimiters
  -f, --footer-numbering=STYLE    use STYLE for numbering footer lines
  -h, --header-numbering=STYLE    use STYLE for numbering header lines
  -i, --line-increment=NUMBER     line number increment at each line
  -l, --join-blank-lines=NUMBER   group of NUMBER empty lines counted as one
  -n, --number-format=FORMAT      insert line numbers according to FORMAT
  -p, --no-renumber               do not reset line numbers for each section
  -s, --number-separator=STRING   add STRING after (possible) line number
  -v, --starting-line-number=NUMBER  first line number for each section
  -w, --number-width=NUMBER       use NUMBER columns for line numbers
      --help        display this help and exit
      --version     output version information and exit

STYLE is a (all lines), t (nonempty lines), n (no lines) or pBRE (lines that match).
FORMAT is ln (left), rn (right) or rz (right with leading zeros).
`,
};

/** `nl` as coreutils has it: numbers lines, by sections of a page. */
export const nl: Command = defineCommand("nl", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { has, value, operands } = parsed.args;
  const fail = (why: string) => ({ stdout: "", stderr: `nl: ${why}\n`, exitCode: 1 });
  for (const [key, what] of [
    ["start", "starting line number"],
    ["increment", "line number increment"],
    ["width", "line number field width"],
    ["blankLines", "line number of blank lines"],
  ] as const) {
    const text = value(key);
    if (text !== undefined && !/^[-+]?\d+$/.test(text)) return fail(`invalid ${what}: '${text}'`);
  }
  const styles = {
    header: value("header") ?? "n",
    body: value("body") ?? "t",
    footer: value("footer") ?? "n",
  };
  for (const [section, style] of Object.entries(styles))
    if (!/^([atn]$|p)/.test(style)) return fail(`invalid ${section} numbering style: '${style}'`);
  const format = value("format") ?? "rn";
  if (!["ln", "rn", "rz"].includes(format)) return fail(`invalid line numbering format: '${format}'`);
  const width = Number(value("width") ?? 6);
  const separator = Buffer.from(value("separator") ?? "\t").toString("latin1");
  const delimiter = value("delimiter") ?? "\\:";
  const start = Number(value("start") ?? 1);
  const increment = Number(value("increment") ?? 1);
  const blanksPerNumber = Number(value("blankLines") ?? 1);

  let section: keyof typeof styles = "body";
  let number = start;
  let blanks = 0;
  let stdout = "";
  const { files, stderr } = await readOperands("nl", operands, ctx);
  for (const line of files.flatMap(({ bytes }) => linesOf(bytes, "\n"))) {
    const next = sectionOf(line, delimiter);
    if (next !== null) {
      section = next;
      if (!has("keep")) number = start;
      stdout += "\n";
      continue;
    }
    blanks = line === "" ? blanks + 1 : 0;
    const style = styles[section];
    const numbered =
      style === "a"
        ? line !== "" || blanks % blanksPerNumber === 0
        : style === "t"
          ? line !== ""
          : style.startsWith("p") && new RegExp(style.slice(1)).test(line);
    if (numbered) {
      stdout += `${formatNumber(number, width, format)}${separator}${line}\n`;
      number += increment;
    } else stdout += `${" ".repeat(width + separator.length)}${line}\n`;
  }
  return { stdout, stdoutKind: "bytes", stderr, exitCode: stderr === "" ? 0 : 1 };
});

function sectionOf(line: string, delimiter: string): "header" | "body" | "footer" | null {
  const mark = delimiter.length === 1 ? `${delimiter}:` : delimiter;
  if (line === mark.repeat(3)) return "header";
  if (line === mark.repeat(2)) return "body";
  return line === mark ? "footer" : null;
}

function formatNumber(number: number, width: number, format: string): string {
  const digits = String(Math.abs(number));
  const sign = number < 0 ? "-" : "";
  if (format === "ln") return (sign + digits).padEnd(width);
  if (format === "rn") return (sign + digits).padStart(width);
  return sign + digits.padStart(width - sign.length, "0");
}
