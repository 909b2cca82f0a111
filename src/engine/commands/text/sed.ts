/** `sed`: its command line and its files. Longer than most files because in-place editing needs both at once. */
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { unescapeStrayBytes } from "../../../workspace/stray-bytes.ts";
import { bytesToText } from "../../byte-text.ts";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { reasonOf } from "../reason.ts";
import { SedMachine, SedSink, type SedSource, type SedSurroundings } from "./sed-machine.ts";
import { parseSedScript, type ScriptPiece, type SedCommand, SedError } from "./sed-script.ts";
import { Output, TextInput } from "./text-input.ts";

const program = {
  name: "sed",
  options: {
    quiet: { short: "n", long: "quiet" },
    silent: { long: "silent" },
    expression: { short: "e", long: "expression", value: "required" },
    file: { short: "f", long: "file", value: "required" },
    extended: { short: "E", long: "regexp-extended" },
    extendedOld: { short: "r" },
    inPlace: { short: "i", long: "in-place", value: "optional" },
    separate: { short: "s", long: "separate" },
    nullData: { short: "z", long: "null-data" },
    lineLength: { short: "l", long: "line-length", value: "required" },
    unbuffered: { short: "u", long: "unbuffered" },
    posix: { long: "posix" },
    binary: { short: "b", long: "binary" },
    follow: { long: "follow-symlinks" },
    sandbox: { long: "sandbox" },
  },
  help: `Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...

  -n, --quiet, --silent, -e, --expression=SCRIPT, -f, --file=SCRIPT-FILE, -E, -r, --regexp-extended
  -i[SUFFIX], --in-place[=SUFFIX], -l, --line-length=N, -s, --separate, -z, --null-data
  --follow-symlinks, --posix, -u, --unbuffered
`,
  compatibleWith: "GNU sed 4.9",
} satisfies GnuProgram<string>;

/**
 * `sed` as GNU has it. The engine's own takes Perl's expressions for all kinds, drops parts of scripts in silence and
 * keeps no file that `w` or a suffix of `-i` names.
 */
export const sed: Command = defineCommand("sed", async (args, ctx) => {
  if (args.includes("--version")) return { stdout: "sed (GNU sed) 4.9\n", stderr: "", exitCode: 0 };
  const parsed = parseGnuOptions<keyof typeof program.options>(program, args);
  if (!parsed.ok) return parsed.result;
  const options = parsed.args;
  const input = new TextInput(ctx);
  const operands = [...options.operands];
  const pieces: ScriptPiece[] = [];
  let expressions = 0;
  for (const { key, value = "" } of options.given) {
    if (key === "expression")
      pieces.push({ text: value, source: `-e expression #${++expressions}`, isFile: false });
    else if (key === "file") {
      const read = await input.read(value);
      if ("why" in read) return failure(`couldn't open file ${value}: ${read.why}`, 4);
      pieces.push({ text: read.text.replace(/\n$/, ""), source: `file ${value}`, isFile: true });
    }
  }
  if (pieces.length === 0) {
    const text = operands.shift();
    if (text === undefined) return { stdout: "", stderr: program.help, exitCode: 1 };
    pieces.push({ text, source: "-e expression #1", isFile: false });
  }
  const isSilentByScript = /^#n(\n|$)/.test(pieces[0]?.text ?? "");
  let commands: SedCommand[];
  try {
    commands = parseSedScript(pieces, {
      isExtended: options.has("extended") || options.has("extendedOld"),
      isPosix: options.has("posix"),
    });
  } catch (error) {
    if (error instanceof SedError) return failure(error.message, error.exitCode);
    throw error;
  }
  const run = new SedRun(ctx, input, commands, {
    isQuiet: options.has("quiet") || options.has("silent") || isSilentByScript,
    end: options.has("nullData") ? "\0" : "\n",
    lineLength: Number(options.value("lineLength") ?? 70),
    isSeparate: options.has("separate") || options.has("inPlace"),
    suffix: options.has("inPlace") ? (options.value("inPlace") ?? "") : null,
    followsLinks: options.has("follow"),
  });
  return run.runOver(operands.length === 0 ? ["-"] : operands);
});

interface Settings {
  readonly isQuiet: boolean;
  readonly end: string;
  readonly lineLength: number;
  readonly isSeparate: boolean;
  /** Of the copy that `-i` keeps; empty for none, null where files stay as they are. */
  readonly suffix: string | null;
  readonly followsLinks: boolean;
}

function failure(why: string, exitCode: number): ExecResult {
  return { stdout: "", stderr: `sed: ${why}\n`, exitCode };
}

class SedRun implements SedSurroundings {
  readonly isQuiet: boolean;
  readonly end: string;
  readonly lineLength: number;
  readonly #ctx: CommandContext;
  readonly #input: TextInput;
  readonly #commands: readonly SedCommand[];
  readonly #settings: Settings;
  readonly #output = new Output();
  readonly #written = new Map<string, { text: string; sink: SedSink }>();
  readonly #read = new Map<string, { text: string; at: number }>();

  constructor(ctx: CommandContext, input: TextInput, commands: readonly SedCommand[], settings: Settings) {
    this.#ctx = ctx;
    this.#input = input;
    this.#commands = commands;
    this.#settings = settings;
    this.isQuiet = settings.isQuiet;
    this.end = settings.end;
    this.lineLength = settings.lineLength;
  }

  async runOver(operands: readonly string[]): Promise<ExecResult> {
    const stdout = new SedSink((text) => this.#output.write(text));
    const machine = new SedMachine(this.#commands, this, new Lines([], this.end), stdout);
    try {
      await this.#openFiles();
      if (this.#settings.isSeparate) await this.#runSeparately(machine, operands, stdout);
      else {
        const texts: { name: string; text: string }[] = [];
        for (const operand of operands) {
          const text = await this.#textOf(operand);
          if (text !== null) texts.push({ name: operand, text });
        }
        machine.startFile(new Lines(texts, this.end), stdout);
        await machine.run();
      }
      await this.#writeFiles();
    } catch (error) {
      if (!(error instanceof SedError)) throw error;
      this.#output.fail(`sed: ${error.message}`, error.exitCode);
    }
    if (machine.exitCode !== 0) this.#output.exitCode = machine.exitCode;
    return this.#output.result();
  }

  fileSink(name: string): SedSink {
    return this.#written.get(name)?.sink ?? new SedSink(() => undefined);
  }

  fileText(name: string): string {
    const written = this.#written.get(name);
    if (written !== undefined) return written.text;
    const read = this.#read.get(name);
    const text = read?.text ?? "";
    // Standard input can be read once.
    if (read !== undefined && name === "/dev/stdin") read.text = "";
    return text;
  }

  fileLine(name: string): string | null {
    const read = this.#read.get(name);
    if (read === undefined || read.at >= read.text.length) return null;
    const feed = read.text.indexOf(this.end, read.at);
    const stop = feed < 0 ? read.text.length : feed;
    const line = read.text.slice(read.at, stop);
    read.at = stop + 1;
    return line;
  }

  async #runSeparately(machine: SedMachine, operands: readonly string[], stdout: SedSink): Promise<void> {
    for (const operand of operands) {
      const text = await this.#textOf(operand);
      if (text === null) continue;
      const lines = new Lines([{ name: operand, text }], this.end);
      if (this.#settings.suffix === null || operand === "-") {
        machine.startFile(lines, stdout);
        await machine.run();
      } else {
        const parts: string[] = [];
        machine.startFile(lines, new SedSink((part) => parts.push(part)));
        await machine.run();
        await this.#replaceFile(operand, parts.join(""));
      }
      if (machine.hasQuit && machine.exitCode === 0 && lines.next() === null && !this.#hasQuitCommand) {
        machine.hasQuit = false;
        continue;
      }
      if (machine.hasQuit) return;
    }
  }

  get #hasQuitCommand(): boolean {
    return this.#commands.some(({ name }) => name === "q" || name === "Q");
  }

  async #textOf(operand: string): Promise<string | null> {
    const isInPlace = this.#settings.suffix !== null;
    if (operand !== "-" && (await this.#input.isDirectory(operand))) {
      if (isInPlace) this.#output.fail(`sed: couldn't edit ${operand}: not a regular file`, 4);
      else this.#output.fail(`sed: read error on ${operand}: Is a directory`, 2);
      return null;
    }
    const read = await this.#input.read(operand);
    if ("text" in read) return read.text;
    this.#output.fail(`sed: can't read ${operand}: ${read.why}`, 2);
    return null;
  }

  async #replaceFile(operand: string, text: string): Promise<void> {
    const { fs, cwd } = this.#ctx;
    const { suffix, followsLinks } = this.#settings;
    const path = fs.resolvePath(cwd, operand);
    try {
      const stat = await fs.stat(path);
      if (suffix !== null && suffix !== "") {
        const slash = operand.lastIndexOf("/");
        const base = operand.slice(slash + 1);
        const name = suffix.includes("*") ? suffix.replaceAll("*", base) : `${base}${suffix}`;
        const copy = name.includes("/") ? name : `${operand.slice(0, slash + 1)}${name}`;
        await fs.writeFile(fs.resolvePath(cwd, copy), await fs.readFileBuffer(path));
        await fs.chmod(fs.resolvePath(cwd, copy), stat.mode);
      }
      const isLink = (await fs.lstat(path)).isSymbolicLink;
      if (isLink && !followsLinks) await fs.rm(path);
      await fs.writeFile(path, new Uint8Array(unescapeStrayBytes(text)));
      if (isLink && !followsLinks) await fs.chmod(path, stat.mode);
    } catch (error) {
      const directory = operand.includes("/") ? operand.slice(0, operand.lastIndexOf("/")) : ".";
      throw new SedError(`couldn't open temporary file ${directory}/sedXXXXXX: ${reasonOf(error)}`, 4);
    }
  }

  /** Reads what `r` and `R` name, and opens what `w` names: a file that is never written to is empty then. */
  async #openFiles(): Promise<void> {
    const outputs = new Set<string>();
    const inputs = new Set<string>();
    for (const { name, text, substitution } of this.#commands) {
      if (name === "w" || name === "W") outputs.add(text);
      if (substitution?.file) outputs.add(substitution.file);
      if (name === "r" || name === "R") inputs.add(text);
    }
    for (const name of outputs) {
      if (name === "/dev/stdout") continue;
      const file = { text: "", sink: new SedSink((text) => (file.text += text)) };
      this.#written.set(name, file);
      if (name === "/dev/stderr") continue;
      try {
        await this.#ctx.fs.writeFile(this.#ctx.fs.resolvePath(this.#ctx.cwd, name), "");
      } catch (error) {
        throw new SedError(`couldn't open file ${name}: ${reasonOf(error)}`, 4);
      }
    }
    for (const name of inputs) {
      const read = await this.#input.read(name);
      if ("text" in read) this.#read.set(name, { text: read.text, at: 0 });
    }
  }

  async #writeFiles(): Promise<void> {
    const { fs, cwd } = this.#ctx;
    for (const [name, { text }] of this.#written) {
      if (name === "/dev/stderr") this.#output.stderr += text;
      else if (text !== "")
        await fs.writeFile(fs.resolvePath(cwd, name), new Uint8Array(unescapeStrayBytes(text)));
    }
  }

  async run(command: string): Promise<string> {
    const { exec, cwd } = this.#ctx;
    if (exec === undefined) return "";
    const result = await exec(command, { cwd });
    this.#output.stderr += result.stderr;
    return bytesToText(result.stdout);
  }
}

/** The lines of texts one behind the other. */
class Lines implements SedSource {
  readonly #texts: readonly { readonly name: string; readonly text: string }[];
  readonly #end: string;
  #index = 0;
  #at = 0;

  constructor(texts: readonly { name: string; text: string }[], end: string) {
    this.#texts = texts.filter(({ text }) => text !== "");
    this.#end = end;
  }

  get fileName(): string {
    return this.#texts[Math.min(this.#index, this.#texts.length - 1)]?.name ?? "-";
  }

  next(): { line: string; hasEnd: boolean } | null {
    let current = this.#texts[this.#index];
    if (current !== undefined && this.#at >= current.text.length) {
      current = this.#texts[++this.#index];
      this.#at = 0;
    }
    if (current === undefined) return null;
    const { text } = current;
    const stop = text.indexOf(this.#end, this.#at);
    const line = stop < 0 ? text.slice(this.#at) : text.slice(this.#at, stop);
    this.#at = stop < 0 ? text.length : stop + 1;
    return { line, hasEnd: stop >= 0 };
  }

  isLast(): boolean {
    const current = this.#texts[this.#index];
    return (
      (current === undefined || this.#at >= current.text.length) && this.#index >= this.#texts.length - 1
    );
  }
}
