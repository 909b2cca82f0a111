import { Buffer } from "node:buffer";
import { type Command, type CommandContext, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { answer, answerBytes, inputBytes, stdinBytes } from "./answer.ts";
import { Lexer } from "./bc/lex.ts";
import { BcSyntaxError, Parser } from "./bc/parse.ts";
import { BcRuntimeError, Halt, Machine } from "./bc/run.ts";

type Key = "help" | "interactive" | "math" | "quiet" | "standard" | "warn" | "version";

const program: GnuProgram<Key> = {
  name: "bc",
  options: {
    help: { short: "h" },
    interactive: { short: "i", long: "interactive" },
    math: { short: "l", long: "mathlib" },
    quiet: { short: "q", long: "quiet" },
    standard: { short: "s", long: "standard" },
    warn: { short: "w", long: "warn" },
    version: { short: "v" },
  },
  compatibleWith: "GNU bc 1.07.1",
  help: `usage: bc [options] [file ...]
  -h  --help         print this usage and exit
  -i  --interactive  ignored
  -l  --mathlib      with s, c, a, l, e and j, and a scale of 20
  -q  --quiet        ignored: there is no banner
  -s  --standard     ignored
  -w  --warn         ignored
  -v  --version      print version information and exit
`,
};

const LINE_LENGTH = 70;

/** `bc` as GNU has it: files first, then standard input. */
export const bc: Command = defineCommand("bc", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok)
    return parsed.result.exitCode === 0
      ? parsed.result
      : answer(program.help, parsed.result.stderr.replace(/Try .*\n/, ""));
  const { operands, has } = parsed.args;
  if (has("help")) return answer(program.help);
  if (has("version")) return answer("bc 1.07.1 (compatible)\n");
  const texts: { name: string; text: string }[] = [];
  let stderr = "";
  for (const name of operands) {
    const content = await inputBytes(ctx, name);
    if (typeof content === "string") return answer("", `File ${name} is unavailable.\n`, 1);
    texts.push({ name, text: content.toString("latin1") });
  }
  const stdin = { name: "(standard_in)", text: stdinBytes(ctx).toString("latin1") };
  const lexers = [...texts, stdin].map(({ name, text }) => ({ name, lexer: new Lexer(text) }));
  const output = new WrappedOutput(lineLength(ctx));
  const machine = new Machine(
    {
      print: (text) => output.print(text),
      warn: (why) => {
        stderr += `Runtime warning (func=(main), adr=0): ${why}\n`;
      },
      readLine: () => lexers.at(-1)?.lexer.takeLine() ?? null,
      isLate: () => ctx.signal?.aborted ?? false,
    },
    has("math"),
  );
  for (const { name, lexer } of lexers) {
    const parser = new Parser(lexer);
    for (;;) {
      try {
        const item = parser.next();
        if (item.is === "quit") return answerBytes(output.bytes(), stderr, 0);
        if (item.is === "end") break;
        if (item.is === "define") machine.define(item.definition);
        else machine.run(item.body);
      } catch (error) {
        if (error instanceof Halt) return answerBytes(output.bytes(), stderr, 0);
        if (error instanceof BcSyntaxError) stderr += `${name} ${error.message}\n`;
        else if (error instanceof BcRuntimeError)
          stderr += `Runtime error (func=(main), adr=0): ${error.message}\n`;
        else if (error instanceof RangeError)
          stderr += "Runtime error (func=(main), adr=0): the number is too large\n";
        else throw error;
      }
    }
  }
  return answerBytes(output.bytes(), stderr, 0);
});

/** Two characters more than a line may hold; 0: lines of any length. */
function lineLength({ exportedEnv }: CommandContext): number {
  const asked = Number.parseInt(exportedEnv?.BC_LINE_LENGTH ?? "", 10);
  if (Number.isNaN(asked)) return LINE_LENGTH;
  return asked === 0 ? 0 : asked < 3 ? LINE_LENGTH : asked;
}

/** Long numbers go on in the next line behind a backslash. */
class WrappedOutput {
  readonly #length: number;
  readonly #parts: string[] = [];
  #column = 0;

  constructor(length: number) {
    this.#length = length;
  }

  print(text: string): void {
    const lines = text.split("\n");
    for (const [index, line] of lines.entries()) {
      if (index > 0) {
        this.#parts.push("\n");
        this.#column = 0;
      }
      this.#printLine(line);
    }
  }

  bytes(): Buffer {
    return Buffer.from(this.#parts.join(""), "latin1");
  }

  #printLine(line: string): void {
    if (this.#length === 0) {
      this.#parts.push(line);
      return;
    }
    const room = this.#length - 2;
    for (let rest = line; rest !== ""; ) {
      if (this.#column >= room) {
        this.#parts.push("\\\n");
        this.#column = 0;
      }
      const piece = rest.slice(0, room - this.#column);
      this.#parts.push(piece);
      this.#column += piece.length;
      rest = rest.slice(piece.length);
    }
  }
}
