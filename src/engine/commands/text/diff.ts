/** `diff` as diffutils has it: options, files and directories. The forms of its output lie in `diff-formats.ts`. */
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { quoteIfNeeded } from "../../../shared/quote.ts";
import { patternOf } from "../files/name-match.ts";
import { type GnuArguments, type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import {
  byLineFormats,
  contextual,
  type DiffSide,
  edScript,
  normal,
  rcs,
  sideBySide,
  unified,
} from "./diff-formats.ts";
import { differences, type Hunk } from "./diff-lines.ts";
import { type DiffKey, diffProgram } from "./diff-options.ts";
import { RegexError } from "./regex/parse-regex.ts";
import { compileRegex } from "./regex/regex.ts";
import { Output, TextInput } from "./text-input.ts";

type Options = GnuArguments<DiffKey>;

export const diff: Command = defineCommand("diff", async (args, ctx) => {
  const parsed = parseGnuOptions(diffProgram as GnuProgram<DiffKey>, args.map(oldForm));
  if (!parsed.ok) return { ...parsed.result, stderr: parsed.result.stderr.replace("\nTry", "\ndiff: Try") };
  const { operands, value } = parsed.args;
  const usage = (why: string): ExecResult => ({
    stdout: "",
    stderr: `diff: ${why}\ndiff: Try 'diff --help' for more information.\n`,
    exitCode: 2,
  });
  const [a, b, extra] = operands;
  if (a === undefined) return usage("missing operand after 'diff'");
  if (b === undefined) return usage(`missing operand after '${a}'`);
  if (extra !== undefined) return usage(`extra operand '${extra}'`);
  for (const key of ["unifiedLines", "contextLines"] as const) {
    const given = value(key);
    if (given !== undefined && !/^\d+$/.test(given)) return usage(`invalid context length '${given}'`);
  }
  const call = new DiffCall(ctx, parsed.args);
  await call.compare(a, b);
  return call.output.result();
});

/** `-5u` and `-u5` are old for `-U 5`. */
function oldForm(arg: string): string {
  const [, before, letter, after] = /^-(\d*)([uc])(\d*)$/.exec(arg) ?? [];
  const count = before || after;
  return count ? `-${letter === "u" ? "U" : "C"}${count}` : arg;
}

class DiffCall {
  readonly output = new Output();
  readonly #ctx: CommandContext;
  readonly #input: TextInput;
  readonly #options: Options;

  constructor(ctx: CommandContext, options: Options) {
    this.#ctx = ctx;
    this.#input = new TextInput(ctx);
    this.#options = options;
  }

  /** The two operands: files, directories, or one of each. */
  async compare(a: string, b: string): Promise<void> {
    const [dirA, dirB] = [await this.#input.isDirectory(a), await this.#input.isDirectory(b)];
    if (dirA && dirB) return this.#directories(a, b);
    if (dirA && b !== "-") return this.#files(`${a.replace(/\/$/, "")}/${nameOf(b)}`, b, null);
    if (dirB && a !== "-") return this.#files(a, `${b.replace(/\/$/, "")}/${nameOf(a)}`, null);
    return this.#files(a, b, null);
  }

  async #directories(a: string, b: string): Promise<void> {
    const { given, has } = this.#options;
    const excluded = given.filter(({ key }) => key === "exclude").map(({ value = "" }) => patternOf(value));
    const [ofA, ofB] = [await this.#names(a), await this.#names(b)];
    const names = [...new Set([...ofA, ...ofB])]
      .filter((name) => !excluded.some((glob) => glob.test(name)))
      .sort();
    for (const name of names) {
      const [pathA, pathB] = [`${a}/${name}`, `${b}/${name}`];
      const missing = !ofA.includes(name) ? a : !ofB.includes(name) ? b : null;
      const fills = has("newFile") || (missing === a && has("unidirectional"));
      if (missing !== null && !fills) {
        this.#differ(`Only in ${missing === a ? b : a}: ${name}\n`);
        continue;
      }
      const isDirectory = {
        a: await this.#input.isDirectory(pathA),
        b: await this.#input.isDirectory(pathB),
      };
      if (isDirectory.a || isDirectory.b) {
        if (missing !== null || (isDirectory.a && isDirectory.b)) {
          if (has("recursive")) await this.#directories(pathA, pathB);
          else if (missing === null) this.output.write(`Common subdirectories: ${pathA} and ${pathB}\n`);
        } else {
          const what = (dir: boolean): string => (dir ? "directory" : "regular file");
          this.#differ(
            `File ${pathA} is a ${what(isDirectory.a)} while file ${pathB} is a ${what(isDirectory.b)}\n`,
          );
        }
        continue;
      }
      await this.#files(pathA, pathB, this.#commandLine(pathA, pathB));
    }
  }

  async #names(path: string): Promise<string[]> {
    const resolved = this.#ctx.fs.resolvePath(this.#ctx.cwd, path);
    return this.#ctx.fs.readdir(resolved).catch(() => []);
  }

  /** What stands before each pair of files of two directories. */
  #commandLine(a: string, b: string): string {
    const shown = this.#options.given.flatMap(({ key, value }) => {
      const { short, long } = diffProgram.options[key];
      const name = short === undefined ? `--${long}` : `-${short}`;
      return value === undefined
        ? [name]
        : [short === undefined ? `${name}=${value}` : name, ...(short === undefined ? [] : [value])];
    });
    // Letters without a value stand together, as most callers write them.
    const letters = shown.length > 0 && shown.every((word) => /^-\w$/.test(word));
    const options = letters ? [`-${shown.map((word) => word[1]).join("")}`] : shown;
    return `${["diff", ...options, a, b].map(quoteIfNeeded).join(" ")}\n`;
  }

  #differ(text: string): void {
    this.output.write(text);
    this.output.exitCode = Math.max(this.output.exitCode, 1);
  }

  async #files(a: string, b: string, title: string | null): Promise<void> {
    const { has } = this.#options;
    const contents: string[] = [];
    for (const name of [a, b]) {
      const read = await this.#input.read(name);
      if ("text" in read) contents.push(read.text);
      else if (has("newFile") && read.why === "No such file or directory") contents.push("");
      else this.output.fail(`diff: ${name}: ${read.why}`, 2);
    }
    const [textA, textB] = contents;
    if (textA === undefined || textB === undefined) return;
    if (textA === textB) {
      if (has("reportSame")) this.output.write(`Files ${a} and ${b} are identical\n`);
      return;
    }
    if (!has("text") && (textA.includes("\0") || textB.includes("\0"))) {
      this.#differ(`Binary files ${a} and ${b} differ\n`);
      return;
    }
    const [sideA, sideB] = [this.#sideOf(textA), this.#sideOf(textB)];
    const hunks = this.#hunks(sideA, sideB);
    if (hunks.length === 0) {
      if (has("reportSame")) this.output.write(`Files ${a} and ${b} are identical\n`);
      else if (has("sideBySide")) this.output.write(this.#show(hunks, sideA, sideB));
      return;
    }
    if (has("brief")) {
      this.#differ(`Files ${a} and ${b} differ\n`);
      return;
    }
    this.#differ((title ?? "") + (await this.#header(a, b)) + this.#show(hunks, sideA, sideB));
  }

  #sideOf(text: string): DiffSide {
    const lines = text.split("\n");
    const isOpen = lines[lines.length - 1] !== "";
    if (!isOpen) lines.pop();
    return {
      lines: this.#options.has("stripCr") ? lines.map((line) => line.replace(/\r$/, "")) : lines,
      isOpen,
    };
  }

  #hunks(a: DiffSide, b: DiffSide): Hunk[] {
    const { given, has } = this.#options;
    const plain = (line: string): string => {
      let seen = line;
      if (has("ignoreAllSpace")) seen = seen.replace(/[ \t\v\f\r]+/g, "");
      else if (has("ignoreSpaceChange")) seen = seen.replace(/[ \t\v\f\r]+/g, " ").replace(/ $/, "");
      else if (has("ignoreTrailingSpace")) seen = seen.replace(/[ \t\v\f\r]+$/, "");
      return has("ignoreCase") ? seen.toLowerCase() : seen;
    };
    const ignoresBlanks = has("ignoreAllSpace") || has("ignoreSpaceChange") || has("ignoreTrailingSpace");
    const keysOf = ({ lines, isOpen }: DiffSide): string[] =>
      // A last line without its end differs from one that has it.
      lines.map(
        (line, at) => plain(line) + (isOpen && !ignoresBlanks && at === lines.length - 1 ? "\n" : ""),
      );
    const found = differences(keysOf(a), keysOf(b));
    const patterns = given
      .filter(({ key }) => key === "ignoreMatching")
      .map(({ value = "" }) => lineTest(value));
    const isIgnored = (line: string): boolean =>
      (has("ignoreBlankLines") &&
        /^[ \t]*$/.test(ignoresBlanks ? line : line.trim() === "" && line !== "" ? "x" : line)) ||
      patterns.some((pattern) => pattern.test(line));
    if (!has("ignoreBlankLines") && patterns.length === 0) return found;
    return found.filter(
      (hunk) =>
        ![...a.lines.slice(hunk.aStart, hunk.aEnd), ...b.lines.slice(hunk.bStart, hunk.bEnd)].every(
          isIgnored,
        ),
    );
  }

  #show(hunks: readonly Hunk[], a: DiffSide, b: DiffSide): string {
    const { given, has, value } = this.#options;
    const formats = given.filter(({ key }) => key.endsWith("Format"));
    if (formats.length > 0) {
      const all = value("lineFormat");
      return byLineFormats(hunks, a, b, {
        old: value("oldLineFormat") ?? all ?? "%L",
        new: value("newLineFormat") ?? all ?? "%L",
        unchanged: value("unchangedLineFormat") ?? all ?? "%L",
      });
    }
    if (has("sideBySide")) {
      const layout = {
        width: Number(value("width") ?? 130),
        suppressCommon: has("suppressCommon"),
        leftColumn: has("leftColumn"),
      };
      return sideBySide(hunks, a, b, layout);
    }
    if (this.#isUnified()) return unified(hunks, a, b, Number(value("unifiedLines") ?? 3), this.#heading(a));
    if (this.#isContext())
      return contextual(hunks, a, b, Number(value("contextLines") ?? 3), this.#heading(a));
    if (has("ed")) return edScript(hunks, b);
    return has("rcs") ? rcs(hunks, b) : normal(hunks, a, b);
  }

  #isUnified(): boolean {
    return this.#options.has("unified") || this.#options.has("unifiedLines");
  }

  #isContext(): boolean {
    return this.#options.has("context") || this.#options.has("contextLines");
  }

  /** The last line before a place that begins a function (`-p`), or matches (`-F`). */
  #heading({ lines }: DiffSide): (line: number) => string {
    const pattern = this.#options.value("functionLine");
    const starts =
      pattern !== undefined ? lineTest(pattern) : this.#options.has("functions") ? /^[A-Za-z_$]/ : null;
    if (starts === null) return () => "";
    return (line) => {
      const found = lines.slice(0, line).findLast((text) => starts.test(text));
      return found === undefined ? "" : ` ${found.slice(0, 40).trimEnd()}`;
    };
  }

  async #header(a: string, b: string): Promise<string> {
    if (!this.#isUnified() && !this.#isContext()) return "";
    const labels = this.#options.given.filter(({ key }) => key === "label").map(({ value = "" }) => value);
    const marks = this.#isUnified() ? ["---", "+++"] : ["***", "---"];
    const lines: string[] = [];
    for (const [at, name] of [a, b].entries()) {
      lines.push(`${marks[at]} ${labels[at] ?? `${name}\t${await this.#timeOf(name)}`}\n`);
    }
    return lines.join("");
  }

  async #timeOf(name: string): Promise<string> {
    const path = this.#ctx.fs.resolvePath(this.#ctx.cwd, name);
    const stat = name === "-" ? null : await this.#ctx.fs.stat(path).catch(() => null);
    const missing = name !== "-" && stat === null;
    const time = (missing ? new Date(0) : (stat?.mtime ?? new Date())).toISOString();
    return `${time.slice(0, 10)} ${time.slice(11, 23)}000000 +0000`;
  }
}

function nameOf(path: string): string {
  return path.replace(/\/+$/, "").replace(/^.*\//s, "");
}

/** A basic regular expression, as grep has it; what is none stands for itself. */
function lineTest(pattern: string): { test(line: string): boolean } {
  try {
    return compileRegex(pattern, { syntax: "basic" });
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    return { test: (line) => line.includes(pattern) };
  }
}
