/** `expand` and `unexpand` as coreutils have them. */
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { byteAnswer } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";

type Key = "initial" | "tabs" | "all" | "firstOnly";

const expandProgram: GnuProgram<Key> = {
  name: "expand",
  options: {
    initial: { short: "i", long: "initial" },
    tabs: { short: "t", long: "tabs", value: "required" },
    all: {},
    firstOnly: {},
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: expand [OPTION]... [FILE]...
Convert tabs in each FILE to spaces, writing to standard output.

  -i, --initial    do not convert tabs after non blanks
  -t, --tabs=N     have tabs N characters apart, not 8
  -t, --tabs=LIST  use comma separated list of tab positions
      --help       display this help and exit
      --version    output version information and exit
`,
};

const unexpandProgram: GnuProgram<Key> = {
  name: "unexpand",
  options: {
    initial: {},
    tabs: { short: "t", long: "tabs", value: "required" },
    all: { short: "a", long: "all" },
    firstOnly: { long: "first-only" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: unexpand [OPTION]... [FILE]...
Convert blanks in each FILE to tabs, writing to standard output.

  -a, --all        convert all blanks, instead of just initial blanks
      --first-only convert only leading sequences of blanks (overrides -a)
  -t, --tabs=N     have tabs N characters apart instead of 8 (enables -a)
  -t, --tabs=LIST  use comma separated list of tab positions
      --help       display this help and exit
      --version    output version information and exit
`,
};

/** The next tab stop after a column; null behind the last one. */
type Stops = (column: number) => number | null;

export const expand: Command = defineCommand("expand", (args, ctx) =>
  convert(expandProgram, args, ctx, (text, stops, has) => {
    let column = 0;
    let initial = true;
    let shown = "";
    for (const char of text) {
      if (char === "\n") {
        column = 0;
        initial = true;
        shown += char;
      } else if (char === "\t" && (initial || !has("initial"))) {
        const next = stops(column) ?? column + 1;
        shown += " ".repeat(next - column);
        column = next;
      } else {
        if (char !== " " && char !== "\t") initial = false;
        column =
          char === "\b"
            ? Math.max(0, column - 1)
            : char === "\t"
              ? (stops(column) ?? column + 1)
              : column + 1;
        shown += char;
      }
    }
    return shown;
  }),
);

export const unexpand: Command = defineCommand("unexpand", (args, ctx) =>
  convert(unexpandProgram, args, ctx, (text, stops, has) => {
    const everywhere = (has("all") || has("tabs")) && !has("firstOnly");
    return text.replace(/[^\n]+/g, (line) => {
      let column = 0;
      return line.replace(/([ \t]+)|([^ \t]+)/g, (part, blanks: string | undefined, _rest, at: number) => {
        const start = column;
        for (const char of part) column = char === "\t" ? (stops(column) ?? column + 1) : column + 1;
        return blanks === undefined || (at > 0 && !everywhere) ? part : tabbed(blanks, start, column, stops);
      });
    });
  }),
);

/** The blanks from one column to another with as many tabs as they hold; a single blank stays a blank. */
function tabbed(blanks: string, start: number, end: number, stops: Stops): string {
  let text = "";
  let column = start;
  for (let next = stops(column); next !== null && next <= end; next = stops(column)) {
    text += blanks === " " ? " " : "\t";
    column = next;
  }
  return text + " ".repeat(end - column);
}

async function convert(
  program: GnuProgram<Key>,
  args: readonly string[],
  ctx: CommandContext,
  each: (text: string, stops: Stops, has: (key: Key) => boolean) => string,
): Promise<ExecResult> {
  const parsed = parseGnuOptions(
    program,
    args.map((arg) => (/^-\d[\d,]*$/.test(arg) ? `-t${arg.slice(1)}` : arg)),
  );
  if (!parsed.ok) return parsed.result;
  const { given, operands, has } = parsed.args;
  const texts = given.filter(({ key }) => key === "tabs").flatMap(({ value = "" }) => value.split(/[, \t]+/));
  const stops = stopsOf(texts);
  if (typeof stops === "string") return byteAnswer("", `${program.name}: ${stops}\n`);
  const { files, stderr } = await readOperands(program.name, operands, ctx);
  return byteAnswer(files.map(({ bytes }) => each(bytes, stops, has)).join(""), stderr);
}

function stopsOf(texts: readonly string[]): Stops | string {
  const positions: number[] = [];
  let every: number | null = null;
  for (const text of texts) {
    const [, kind = "", digits] = /^([/+]?)(\d+)$/.exec(text) ?? [];
    if (digits === undefined) return `tab size contains invalid character(s): ‘${text}’`;
    if (Number(digits) === 0) return "tab size cannot be 0";
    if (kind === "") positions.push(Number(digits));
    else every = Number(digits);
  }
  if (positions.some((position, at) => at > 0 && position <= (positions[at - 1] ?? 0)))
    return "tab sizes must be ascending";
  if (positions.length <= 1 && every === null) {
    const size = positions[0] ?? 8;
    return (column) => (Math.floor(column / size) + 1) * size;
  }
  return (column) => {
    const next = positions.find((position) => position > column);
    if (next !== undefined) return next;
    return every === null ? null : (Math.floor(column / every) + 1) * every;
  };
}
