/** The command line of `find` → one step that says whether an entry is taken, and does what was asked. */

import { decodeBytesToUtf8 } from "just-bash";
import { unescapeStrayBytes } from "../../../workspace/stray-bytes.ts";
import { execStep } from "./find-exec.ts";
import { formatted, lsLine } from "./find-printf.ts";
import { findTest, type TestWords } from "./find-tests.ts";
import { type FindCall, FindError, type FindStep } from "./find-visit.ts";
import { Answers } from "./look.ts";
import { quoteValue } from "./quote-name.ts";

const CLOSES = new Set([")", ",", "-o", "-or"]);
const LINE_ENDS: Readonly<Record<string, string>> = {
  print: "\n",
  print0: "\0",
  fprint: "\n",
  fprint0: "\0",
};

/** Throws a `FindError` for what is no expression. */
export async function parseExpression(words: readonly string[], call: FindCall): Promise<FindStep> {
  if (words.length === 0) return printStep(call, "\n");
  const parser = new Parser(words, call);
  const step = await parser.list();
  if (!parser.isAtEnd()) throw new FindError("you have too many ')'");
  if (parser.hasAction) return step;
  const print = printStep(call, "\n");
  return async (visit) => (await step(visit)) && !call.hasQuit && print(visit);
}

class Parser implements TestWords {
  readonly call: FindCall;
  readonly mode = { regexType: "emacs", dayStart: false };
  hasAction = false;
  readonly #words: readonly string[];
  readonly #answers: Answers;
  #at = 0;
  #option = "";

  constructor(words: readonly string[], call: FindCall) {
    this.#words = words;
    this.call = call;
    this.#answers = new Answers(decodeBytesToUtf8(call.ctx.stdin));
  }

  isAtEnd(): boolean {
    return this.#at >= this.#words.length;
  }

  argument(): string {
    const word = this.#words[this.#at++];
    if (word === undefined) throw new FindError(`missing argument to \`${this.#option}'`);
    return word;
  }

  async list(): Promise<FindStep> {
    let step = await this.#either();
    while (this.#words[this.#at] === ",") {
      this.#at++;
      const [first, second] = [step, await this.#either()];
      step = async (visit) => {
        await first(visit);
        return !visit.call.hasQuit && second(visit);
      };
    }
    return step;
  }

  async #either(): Promise<FindStep> {
    let step = await this.#both();
    while (this.#words[this.#at] === "-o" || this.#words[this.#at] === "-or") {
      this.#at++;
      const [first, second] = [step, await this.#both()];
      step = async (visit) => (await first(visit)) || (!visit.call.hasQuit && second(visit));
    }
    return step;
  }

  async #both(): Promise<FindStep> {
    let step = await this.#one();
    for (;;) {
      const word = this.#words[this.#at];
      if (word === undefined || CLOSES.has(word)) return step;
      if (word === "-a" || word === "-and") this.#at++;
      const [first, second] = [step, await this.#one()];
      step = async (visit) => (await first(visit)) && !visit.call.hasQuit && second(visit);
    }
  }

  async #one(): Promise<FindStep> {
    const word = this.#words[this.#at++];
    if (word === undefined) {
      throw new FindError(`expected an expression after '${this.#words[this.#at - 2] ?? ""}'`);
    }
    if (word === "!" || word === "-not") {
      const step = await this.#one();
      return async (visit) => !(await step(visit));
    }
    if (word === "(") {
      if (this.#words[this.#at] === ")") throw new FindError("empty parentheses are not allowed.");
      const step = await this.list();
      if (this.#words[this.#at++] !== ")") {
        throw new FindError(
          "invalid expression; I was expecting to find a ')' somewhere but did not see one.",
        );
      }
      return step;
    }
    if (CLOSES.has(word) || word === "-a" || word === "-and") {
      throw new FindError(
        word === ")"
          ? "invalid expression; expected to find a ')' but didn't see one.  Perhaps you need an extra predicate after '('"
          : `invalid expression; you have used a binary operator '${word}' with nothing before it.`,
      );
    }
    if (!word.startsWith("-")) {
      throw new FindError(
        `paths must precede expression: \`${word}'\nfind: possible unquoted pattern after predicate?`,
      );
    }
    this.#option = word;
    const name = word.replace(/^--?/, "");
    const step = this.#setting(name) ?? this.#action(name) ?? (await findTest(name, this));
    if (step === null) throw new FindError(`unknown predicate \`${word}'`);
    return step;
  }

  /** Options that hold for the whole call, wherever they stand. */
  #setting(name: string): FindStep | null {
    const { call } = this;
    if (name === "maxdepth" || name === "mindepth") {
      const text = this.argument();
      if (!/^\d+$/.test(text)) {
        throw new FindError(
          `Expected a positive decimal integer argument to -${name}, but got ${quoteValue(text)}`,
        );
      }
      call[name === "maxdepth" ? "maxDepth" : "minDepth"] = Number(text);
    } else if (name === "depth" || name === "d") call.depthFirst = true;
    else if (name === "follow") call.follow = "always";
    else if (!/^(mount|xdev|noleaf|warn|nowarn|(no)?ignore_readdir_race)$/.test(name)) return null;
    return () => true;
  }

  #action(name: string): FindStep | null {
    const { call } = this;
    const step = this.#actionStep(name);
    if (step !== null && name !== "prune" && name !== "quit") this.hasAction = true;
    if (name === "delete") call.depthFirst = true;
    return step;
  }

  #actionStep(name: string): FindStep | null {
    const { call } = this;
    switch (name) {
      case "print":
      case "print0":
        return printStep(call, LINE_ENDS[name] ?? "");
      case "fprint":
      case "fprint0": {
        const write = this.#file();
        return (visit) => write(visit.shown + (LINE_ENDS[name] ?? ""));
      }
      case "printf":
      case "fprintf": {
        const write = name === "fprintf" ? this.#file() : textStep(call);
        const format = this.argument();
        return async (visit) => write(await formatted(format, visit));
      }
      case "ls":
      case "fls": {
        const write = name === "fls" ? this.#file() : textStep(call);
        return async (visit) => write(`${await lsLine(visit)}\n`);
      }
      case "prune":
        return (visit) => {
          visit.isPruned = true;
          return true;
        };
      case "quit":
        return () => {
          call.hasQuit = true;
          return true;
        };
      case "delete":
        return deleteStep(call);
      case "exec":
      case "execdir":
      case "ok":
      case "okdir": {
        const { step, used } = execStep(call, name, this.#words.slice(this.#at), this.#answers);
        this.#at += used;
        return step;
      }
      default:
        return null;
    }
  }

  /** A file that is written when the walk is over; it is empty when nothing was found. */
  #file(): (text: string) => boolean {
    const { ctx, report, atEnd } = this.call;
    const name = this.argument();
    const parts: string[] = [];
    atEnd.push(async () => {
      const bytes = unescapeStrayBytes(parts.join(""));
      try {
        await ctx.fs.writeFile(ctx.fs.resolvePath(ctx.cwd, name), bytes);
      } catch (error) {
        report.failed(quoteValue(name), error);
      }
    });
    return (text) => parts.push(text) > 0;
  }
}

function textStep({ report }: FindCall): (text: string) => boolean {
  return (text) => {
    report.print(text);
    return true;
  };
}

function printStep(call: FindCall, end: string): FindStep {
  return (visit) => {
    call.report.print(visit.shown + end);
    return true;
  };
}

function deleteStep({ ctx, report }: FindCall): FindStep {
  return async (visit) => {
    if (/^\.\/*$/.test(visit.shown)) return true;
    try {
      await ctx.fs.rm(visit.path);
      return true;
    } catch (error) {
      report.failed(`cannot delete ${quoteValue(visit.shown)}`, error);
      return false;
    }
  };
}
