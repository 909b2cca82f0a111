import { Buffer } from "node:buffer";
import { type Command, defineCommand, latin1FromBytes } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { byteAnswer, linesOf } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";

type Key = "delimiters" | "serial" | "zero";

const program: GnuProgram<Key> = {
  name: "paste",
  options: {
    delimiters: { short: "d", long: "delimiters", value: "required" },
    serial: { short: "s", long: "serial" },
    zero: { short: "z", long: "zero-terminated" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: paste [OPTION]... [FILE]...
Write lines consisting of the sequentially corresponding lines from
each FILE, separated by TABs, to standard output.

  -d, --delimiters=LIST   reuse characters from LIST instead of TABs
  -s, --serial            paste one file at a time instead of in parallel
  -z, --zero-terminated   line delimiter is NUL, not newline
      --help              display this help and exit
      --version           output version information and exit
`,
};

const ESCAPES: Readonly<Record<string, string>> = {
  "0": "",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** `paste` as coreutils has it. */
export const paste: Command = defineCommand("paste", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { has, value } = parsed.args;
  const operands = parsed.args.operands.length === 0 ? ["-"] : parsed.args.operands;
  const delimiters = delimitersOf(value("delimiters") ?? "\t");
  const end = has("zero") ? "\0" : "\n";
  const { files, stderr } = await readOperands(
    "paste",
    operands.filter((operand) => operand !== "-"),
    ctx,
    false,
  );
  // In parallel nothing is written when one is missing.
  if (stderr !== "" && !has("serial")) return byteAnswer("", `${stderr.split("\n")[0]}\n`);
  // Every `-` takes the next line of the one standard input.
  const stdin = { lines: linesOf(latin1FromBytes(ctx.stdin), end), at: 0 };
  const unread = [...files];
  const sources = operands.flatMap((operand) => {
    if (operand === "-") return [stdin];
    const next = unread[0]?.name === operand ? unread.shift() : undefined;
    return next === undefined ? [] : [{ lines: linesOf(next.bytes, end), at: 0 }];
  });
  const delimiter = (index: number): string => delimiters[index % delimiters.length] ?? "";
  const rows: string[] = [];
  if (has("serial")) {
    for (const source of sources) {
      const lines = source.lines.slice(source.at);
      source.at = source.lines.length;
      rows.push(lines.map((line, at) => line + (at < lines.length - 1 ? delimiter(at) : "")).join(""));
    }
  } else {
    while (sources.some(({ lines, at }) => at < lines.length)) {
      rows.push(
        sources
          .map(
            (source, at) =>
              (source.lines[source.at++] ?? "") + (at < sources.length - 1 ? delimiter(at) : ""),
          )
          .join(""),
      );
    }
  }
  return byteAnswer(rows.map((row) => row + end).join(""), stderr);
});

function delimitersOf(list: string): string[] {
  if (list === "") return [""];
  const bytes = Buffer.from(list, "utf8").toString("latin1");
  const found: string[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const char = bytes[at] ?? "";
    if (char !== "\\") found.push(char);
    else {
      const escaped = bytes[++at] ?? "\\";
      found.push(ESCAPES[escaped] ?? escaped);
    }
  }
  return found;
}
