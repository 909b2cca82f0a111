import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { reasonOf } from "../reason.ts";
import { linesOf } from "./byte-lines.ts";
import { grepText } from "./grep-lines.ts";
import { type GrepRequest, readGrepRequest } from "./grep-options.ts";
import { parseRegex, RegexError } from "./regex/parse-regex.ts";
import { compilePerlRegex } from "./regex/perl-regex.ts";
import { type Regex, regexOf } from "./regex/regex.ts";
import { literal, NOTHING, type RegexNode } from "./regex/syntax-tree.ts";
import { Output, TextInput } from "./text-input.ts";

/**
 * `grep` as GNU has it, and `egrep` and `fgrep`. The engine's own takes Perl's expressions for all kinds, finds the
 * first alternative instead of the longest match, and lacks half of the options.
 */
export const grep: Command = grepNamed("grep");
export const egrep: Command = grepNamed("egrep");
export const fgrep: Command = grepNamed("fgrep");

/** Selects nothing: the meaning of an empty list of patterns. */
const NEVER: Regex = { groupCount: 0, test: () => false, find: () => null };

function grepNamed(name: string): Command {
  return defineCommand(name, async (args, ctx) => {
    const read = readGrepRequest(name, args);
    if (!read.ok) return read.result;
    return runGrep(read.request, ctx);
  });
}

async function runGrep(request: GrepRequest, ctx: CommandContext): Promise<ExecResult> {
  const input = new TextInput(ctx);
  const output = new Output();
  const patterns: string[] = [];
  for (const { text, file } of request.patterns) {
    if (file === undefined) patterns.push(...(text ?? "").split("\n"));
    else {
      const read = await input.read(file);
      if ("why" in read) return { stdout: "", stderr: `grep: ${file}: ${read.why}\n`, exitCode: 2 };
      patterns.push(...linesOf(read.text));
    }
  }
  let regex: Regex;
  try {
    regex = compilePatterns(patterns, request);
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    return { stdout: "", stderr: `grep: ${error.message}\n`, exitCode: 2 };
  }
  const search = new Search(request, regex, ctx, input, output);
  await search.run();
  return search.result();
}

function compilePatterns(patterns: readonly string[], { kind, flags }: GrepRequest): Regex {
  if (patterns.length === 0) return NEVER;
  const ignoresCase = flags.has("i");
  if (kind === "perl") {
    if (patterns.length > 1) throw new RegexError("the -P option only supports a single pattern");
    const [pattern = ""] = patterns;
    const word = flags.has("w") ? `(?<!\\w)(?:${pattern})(?!\\w)` : pattern;
    return compilePerlRegex(flags.has("x") ? `^(?:${word})$` : word, ignoresCase);
  }
  let groupCount = 0;
  const options = patterns.map((pattern): RegexNode => {
    if (kind === "fixed") {
      const parts = Array.from(pattern, (char) => literal(char.codePointAt(0) ?? 0, ignoresCase));
      return { is: "sequence", parts };
    }
    // `[:space:]` outside of a bracket is a slip that would find nothing that was meant.
    if (/^\[:\w+:\]$/.test(pattern))
      throw new RegexError(`character class syntax is [${pattern}], not ${pattern}`);
    const parsed = parseRegex(pattern, kind, ignoresCase, groupCount + 1);
    groupCount += parsed.groupCount;
    return parsed.node;
  });
  let [node = NOTHING] = options;
  if (options.length > 1) node = { is: "choice", options };
  const around = (first: RegexNode, last: RegexNode): RegexNode => ({
    is: "sequence",
    parts: [first, node, last],
  });
  if (flags.has("x")) node = around({ is: "place", place: "line-start" }, { is: "place", place: "line-end" });
  else if (flags.has("w"))
    node = around({ is: "place", place: "not-after-word" }, { is: "place", place: "not-before-word" });
  return regexOf(node, groupCount, flags.has("z"));
}

class Search {
  readonly #request: GrepRequest;
  readonly #regex: Regex;
  readonly #ctx: CommandContext;
  readonly #input: TextInput;
  readonly #output: Output;
  #isFound = false;
  #isTrouble = false;

  constructor(request: GrepRequest, regex: Regex, ctx: CommandContext, input: TextInput, output: Output) {
    this.#request = request;
    this.#regex = regex;
    this.#ctx = ctx;
    this.#input = input;
    this.#output = output;
  }

  result(): ExecResult {
    const { flags } = this.#request;
    if (flags.has("q") && this.#isFound) this.#output.exitCode = 0;
    else this.#output.exitCode = this.#isTrouble ? 2 : this.#isFound ? 0 : 1;
    return this.#output.result();
  }

  async run(): Promise<void> {
    const { operands, directories, showsNames } = this.#request;
    const isRecursive = directories === "recurse";
    if (operands.length === 0 && isRecursive) {
      await this.#directory(".", "", showsNames ?? true);
      return;
    }
    const all = operands.length === 0 ? ["-"] : operands;
    for (const operand of all) {
      if (operand !== "-" && (await this.#input.isDirectory(operand))) {
        if (isRecursive) {
          if (
            this.#isLeftOut(
              operand
                .replace(/(.)\/+$/, "$1")
                .split("/")
                .at(-1) ?? "",
              true,
            )
          )
            continue;
          await this.#directory(operand, operand.endsWith("/") ? operand : `${operand}/`, showsNames ?? true);
        } else if (directories === "read") {
          this.#fail(operand, "Is a directory");
          if (this.#request.flags.has("c"))
            grepText("", operand, showsNames ?? all.length > 1, this.#regex, this.#request, this.#output);
        }
      } else {
        if (operand !== "-" && this.#isLeftOut(operand.split("/").at(-1) ?? "", false)) continue;
        await this.#file(operand, showsNames ?? all.length > 1);
      }
      if (this.#isDone()) return;
    }
  }

  #isDone(): boolean {
    return this.#isFound && this.#request.flags.has("q");
  }

  #isLeftOut(name: string, isDirectory: boolean): boolean {
    const { include, exclude, excludeDirectories } = this.#request;
    if (isDirectory) return excludeDirectories.some((glob) => glob.test(name));
    if (include.length > 0 && !include.some((glob) => glob.test(name))) return true;
    return exclude.some((glob) => glob.test(name));
  }

  #fail(operand: string, why: string): void {
    this.#isTrouble = true;
    if (!this.#request.flags.has("s")) this.#output.stderr += `grep: ${operand}: ${why}\n`;
  }

  async #directory(operand: string, prefix: string, showsNames: boolean): Promise<void> {
    const { fs, cwd } = this.#ctx;
    let names: string[];
    try {
      names = await fs.readdir(fs.resolvePath(cwd, operand));
    } catch (error) {
      this.#fail(operand, reasonOf(error));
      return;
    }
    for (const name of names) {
      const shown = `${prefix}${name}`;
      const stat = await fs.lstat(fs.resolvePath(cwd, shown)).catch(() => null);
      // Pipes, sockets and devices of a tree are left out, as by GNU's: reading one could wait for ever.
      if (stat !== null && !stat.isFile && !stat.isDirectory && !stat.isSymbolicLink) continue;
      if (stat?.isSymbolicLink && !this.#request.flags.has("R")) continue;
      if (stat?.isDirectory || (stat?.isSymbolicLink && (await this.#input.isDirectory(shown)))) {
        if (!this.#isLeftOut(name, true)) await this.#directory(shown, `${shown}/`, showsNames);
      } else if (!this.#isLeftOut(name, false)) await this.#file(shown, showsNames);
      if (this.#isDone()) return;
    }
  }

  async #file(operand: string, showsName: boolean): Promise<void> {
    const read = await this.#input.read(operand);
    if ("why" in read) {
      this.#fail(operand, read.why);
      return;
    }
    const name = operand === "-" ? this.#request.label : operand;
    if (grepText(read.text, name, showsName, this.#regex, this.#request, this.#output)) this.#isFound = true;
  }
}
