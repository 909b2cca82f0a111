/** `fmt` as coreutils has it: fills lines, weighing how ragged a paragraph gets (the costs are those of fmt.c). */
import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { linesOf } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";

type Key = "width" | "goal" | "splitOnly" | "uniform" | "crown";

const program: GnuProgram<Key> = {
  name: "fmt",
  options: {
    width: { short: "w", long: "width", value: "required" },
    goal: { short: "g", long: "goal", value: "required" },
    splitOnly: { short: "s", long: "split-only" },
    uniform: { short: "u", long: "uniform-spacing" },
    crown: { short: "c", long: "crown-margin" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: fmt [-WIDTH] [OPTION]... [FILE]...
Reformat each paragraph in the FILE(s), writing to standard output.

  -c, --crown-margin        preserve indentation of first two lines
  -s, --split-only          split long lines, but do not refill
  -u, --uniform-spacing     one space between words, two after sentences
  -w, --width=WIDTH         maximum line width (default of 75 columns)
  -g, --goal=WIDTH          goal width (default of 93% of width)
      --help        display this help and exit
      --version     output version information and exit
`,
};

interface Word {
  text: string;
  /** Blanks after it when the next word is on the same line. */
  space: number;
  paren: boolean;
  punct: boolean;
  period: boolean;
  final: boolean;
  cost: number;
  nextBreak: number;
  lineLength: number;
}

export const fmt: Command = defineCommand("fmt", async (args, ctx) => {
  const [first = "", ...rest] = args;
  const parsed = parseGnuOptions(program, /^-\d+$/.test(first) ? ["-w", first.slice(1), ...rest] : args);
  if (!parsed.ok) return parsed.result;
  const { has, value, operands } = parsed.args;
  for (const key of ["width", "goal"] as const) {
    const text = value(key);
    if (text !== undefined && !/^\d+$/.test(text))
      return { stdout: "", stderr: `fmt: invalid width: '${text}'\n`, exitCode: 1 };
  }
  const goalGiven = value("goal");
  const width =
    value("width") !== undefined
      ? Number(value("width"))
      : goalGiven !== undefined
        ? Number(goalGiven) + 10
        : 75;
  const goal = goalGiven !== undefined ? Number(goalGiven) : Math.trunc((width * 187) / 200);

  const { files, stderr } = await readOperands("fmt", operands, ctx);
  let stdout = "";
  for (const { bytes } of files)
    for (const { lines, indent, otherIndent } of paragraphsOf(
      linesOf(bytes, "\n"),
      has("splitOnly"),
      has("crown"),
    ))
      stdout += lines.every((line) => line.trim() === "")
        ? "\n".repeat(lines.length)
        : fill(wordsOf(lines, has("uniform")), indent, otherIndent, width, goal);
  return { stdout, stdoutKind: "bytes", stderr, exitCode: stderr === "" ? 0 : 1 };
});

interface Paragraph {
  lines: string[];
  indent: number;
  otherIndent: number;
}

/** Lines with one indent belong together; a blank line is a paragraph of its own. */
function paragraphsOf(lines: readonly string[], splitOnly: boolean, crown: boolean): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let open: Paragraph | null = null;
  for (const line of lines) {
    const indent = line.length - line.trimStart().length;
    const isBlank = line.trim() === "";
    if (open !== null && !isBlank && crown && open.lines.length === 1) open.otherIndent = indent;
    if (open !== null && !isBlank && !splitOnly && indent === open.otherIndent) open.lines.push(line);
    else {
      open = isBlank ? null : { lines: [line], indent, otherIndent: indent };
      paragraphs.push(open ?? { lines: [line], indent: 0, otherIndent: 0 });
    }
  }
  return paragraphs;
}

function wordsOf(lines: readonly string[], uniform: boolean): Word[] {
  return lines.flatMap((line) =>
    [...line.trim().matchAll(/([^ \t]+)([ \t]*)/g)].map(([, text = "", blanks = ""]): Word => {
      const bare = text.replace(/[)\]'"]+$/, "");
      const period = /[.!?]$/.test(bare);
      const final = period && (blanks === "" || blanks.length > 1);
      return {
        text,
        space: blanks === "" || uniform ? (final ? 2 : 1) : blanks.length,
        paren: /^[(['`"]/.test(text),
        punct: /[!-/:-@[-`{-~]$/.test(text),
        period,
        final,
        cost: 0,
        nextBreak: 0,
        lineLength: 0,
      };
    }),
  );
}

const square = (n: number): number => n * n;
const LINE_COST = square(70);
const SENTENCE_BONUS = square(50);
const NO_BREAK_COST = square(600);
const PAREN_BONUS = square(40);
const PUNCT_BONUS = square(40);
const shortCost = (n: number): number => square(n * 10);
const raggedCost = (n: number): number => shortCost(n) / 2;

function fill(words: Word[], indent: number, otherIndent: number, width: number, goal: number): string {
  const at = (index: number): Word | undefined => words[index];
  const lineCost = (next: number, length: number): number => {
    const word = at(next);
    if (word === undefined) return 0;
    const ragged = word.nextBreak === words.length ? 0 : raggedCost(length - word.lineLength);
    return shortCost(goal - length) + ragged;
  };
  for (let start = words.length - 1; start >= 0; start--) {
    const word = at(start);
    if (word === undefined) break;
    let best = Number.POSITIVE_INFINITY;
    let length = (start === 0 ? indent : otherIndent) + word.text.length;
    for (let next = start + 1; ; next++) {
      const cost = lineCost(next, length) + (at(next)?.cost ?? 0);
      if (cost < best) {
        best = cost;
        word.nextBreak = next;
        word.lineLength = length;
      }
      const following = at(next);
      if (following === undefined) break;
      length += (at(next - 1)?.space ?? 1) + following.text.length;
      if (length >= width) break;
    }
    word.cost = best + baseCost(words, start);
  }
  let text = "";
  for (let start = 0; start < words.length; ) {
    const end = Math.max(at(start)?.nextBreak ?? words.length, start + 1);
    text += " ".repeat(start === 0 ? indent : otherIndent);
    for (let index = start; index < end; index++)
      text += (at(index)?.text ?? "") + (index + 1 < end ? " ".repeat(at(index)?.space ?? 1) : "\n");
    start = end;
  }
  return text;
}

/** What it costs to begin a line with a word. */
function baseCost(words: readonly Word[], index: number): number {
  const word = words[index];
  const before = words[index - 1];
  let cost = LINE_COST;
  if (before?.period) cost += before.final ? -SENTENCE_BONUS : NO_BREAK_COST;
  else if (before?.punct) cost -= PUNCT_BONUS;
  else if (before !== undefined && words[index - 2]?.final)
    cost += Math.trunc(square(200) / (before.text.length + 2));
  if (word?.paren) cost -= PAREN_BONUS;
  else if (word?.final) cost += Math.trunc(square(150) / (word.text.length + 2));
  return cost;
}
