/**
 * Runs a script of `sed` over lines. One machine runs through all files; what a line is and where output goes it is
 * told. Over 300 lines, because the commands share the pattern space, the hold space and the queue of appends.
 */
import { textToBytes } from "../../byte-text.ts";
import type { Regex } from "./regex/regex.ts";
import type { ReplacementPart, SedAddress, SedCommand, Substitution } from "./sed-script.ts";
import { SedError } from "./sed-script.ts";

/** Where lines come from. */
export interface SedSource {
  /** The next line and whether its end was there; null behind the last. */
  next(): { readonly line: string; readonly hasEnd: boolean } | null;
  isLast(): boolean;
  readonly fileName: string;
}

/** What the machine writes to; keeps the end of a line that had none open until more comes. */
export class SedSink {
  readonly #write: (text: string) => void;
  #lacksEnd = false;
  constructor(write: (text: string) => void) {
    this.#write = write;
  }
  line(text: string, end: string, hasEnd = true): void {
    this.raw(hasEnd ? text + end : text, end);
    this.#lacksEnd = !hasEnd;
  }
  raw(text: string, end: string): void {
    if (this.#lacksEnd) this.#write(end);
    this.#lacksEnd = false;
    if (text !== "") this.#write(text);
  }
}

export interface SedSurroundings {
  readonly isQuiet: boolean;
  readonly end: string;
  readonly lineLength: number;
  /** The sink of a file named in the script. */
  fileSink(name: string): SedSink;
  /** Content of a file for `r`; empty where there is none. */
  fileText(name: string): string;
  /** The next line of a file for `R`. */
  fileLine(name: string): string | null;
  /** Runs a command of the shell; its output. */
  run(command: string): Promise<string>;
}

type Append = { readonly text: string } | { readonly file: string } | { readonly line: string };
type Outcome = "next" | "again" | "stop";

export class SedMachine {
  readonly #commands: readonly SedCommand[];
  readonly #around: SedSurroundings;
  #source: SedSource;
  #sink: SedSink;
  #space = "";
  #hasEnd = true;
  #hold = "";
  #line = 0;
  #isReplaced = false;
  #appends: Append[] = [];
  #lastRegex: Regex | null = null;
  exitCode = 0;
  /** `q` or `Q` was met, or a command that needs a line met the end. */
  hasQuit = false;

  constructor(commands: readonly SedCommand[], around: SedSurroundings, source: SedSource, sink: SedSink) {
    this.#commands = commands;
    this.#around = around;
    this.#source = source;
    this.#sink = sink;
  }

  /** Goes over to a file that is counted for itself. */
  startFile(source: SedSource, sink: SedSink): void {
    const early = this.#commands.filter(
      ({ name, first }) => name === "r" && first?.is === "line" && first.line === 0,
    );
    for (const { text } of early) sink.raw(this.#around.fileText(text), this.#around.end);
    this.#source = source;
    this.#sink = sink;
    this.#line = 0;
    for (const { first, range } of this.#commands)
      range.is = first?.is === "line" && first.line === 0 ? "open" : "closed";
  }

  /** Runs the script for every line of the source. */
  async run(): Promise<void> {
    let keepsSpace = false;
    while (!this.hasQuit) {
      if (!keepsSpace && !this.#read()) return;
      const outcome = await this.#cycle();
      keepsSpace = outcome === "again";
    }
  }

  #read(): boolean {
    const next = this.#source.next();
    if (next === null) return false;
    this.#space = next.line;
    this.#hasEnd = next.hasEnd;
    this.#line++;
    this.#isReplaced = false;
    return true;
  }

  #print(): void {
    this.#sink.line(this.#space, this.#around.end, this.#hasEnd);
  }

  #endCycle(prints: boolean): void {
    if (prints && !this.#around.isQuiet) this.#print();
    const { end } = this.#around;
    for (const append of this.#appends) {
      if ("text" in append) this.#sink.raw(append.text, end);
      else if ("line" in append) this.#sink.line(append.line, end);
      else this.#sink.raw(this.#around.fileText(append.file), end);
    }
    this.#appends = [];
  }

  async #cycle(): Promise<Outcome> {
    const commands = this.#commands;
    const { end } = this.#around;
    for (let at = 0; at < commands.length; at++) {
      const command = commands[at];
      if (command === undefined) break;
      if (this.#isSelected(command) === command.isNegated) {
        if (command.name === "{") at = command.target - 1;
        continue;
      }
      switch (command.name) {
        case "{":
        case "}":
        case ":":
          break;
        case "=":
          this.#sink.raw(`${this.#line}\n`, end);
          break;
        case "a":
          this.#appends.push({ text: command.text });
          break;
        case "i":
          this.#sink.raw(command.text, end);
          break;
        case "c":
          if (command.second === null || command.isNegated || command.range.is === "closed")
            this.#sink.raw(command.text, end);
          this.#endCycle(false);
          return "next";
        case "b":
          at = command.target - 1;
          break;
        case "t":
          if (this.#isReplaced) at = command.target - 1;
          this.#isReplaced = false;
          break;
        case "T":
          if (!this.#isReplaced) at = command.target - 1;
          this.#isReplaced = false;
          break;
        case "d":
          this.#endCycle(false);
          return "next";
        case "D": {
          const feed = this.#space.indexOf(end);
          this.#endCycle(false);
          if (feed < 0) return "next";
          this.#space = this.#space.slice(feed + 1);
          return "again";
        }
        case "e":
          await this.#evaluate(command.text);
          break;
        case "F":
          this.#sink.raw(`${this.#source.fileName}\n`, end);
          break;
        case "g":
          this.#space = this.#hold;
          break;
        case "G":
          this.#space += end + this.#hold;
          break;
        case "h":
          this.#hold = this.#space;
          break;
        case "H":
          this.#hold += end + this.#space;
          break;
        case "x":
          [this.#space, this.#hold] = [this.#hold, this.#space];
          break;
        case "l":
          this.#sink.raw(this.#list(command.number ?? this.#around.lineLength), end);
          break;
        case "n":
          if (this.#source.isLast()) return this.#quit(true);
          this.#endCycle(true);
          this.#readOn();
          break;
        case "N": {
          if (this.#source.isLast()) return this.#quit(true);
          const before = this.#space;
          this.#endCycle(false);
          this.#readOn();
          this.#space = before + end + this.#space;
          break;
        }
        case "p":
          this.#print();
          break;
        case "P": {
          const feed = this.#space.indexOf(end);
          this.#sink.line(feed < 0 ? this.#space : this.#space.slice(0, feed), end);
          break;
        }
        case "q":
          this.exitCode = command.number ?? 0;
          return this.#quit(true);
        case "Q":
          this.exitCode = command.number ?? 0;
          this.hasQuit = true;
          return "stop";
        case "r":
          this.#appends.push({ file: command.text });
          break;
        case "R": {
          const line = this.#around.fileLine(command.text);
          if (line !== null) this.#appends.push({ line });
          break;
        }
        case "s":
          if (command.substitution !== null) await this.#substitute(command.substitution);
          break;
        case "w":
          this.#sinkOf(command.text).line(this.#space, end, this.#hasEnd);
          break;
        case "W":
          this.#sinkOf(command.text).line(this.#space.split(end, 1)[0] ?? "", end);
          break;
        case "y":
          this.#space = Array.from(this.#space, (char) => command.mapping?.get(char) ?? char).join("");
          break;
        case "z":
          this.#space = "";
          break;
        default:
      }
    }
    this.#endCycle(true);
    return "next";
  }

  #readOn(): void {
    // A line taken on the way belongs to the cycle: whether something was replaced in it stays known.
    const isReplaced = this.#isReplaced;
    this.#read();
    this.#isReplaced = isReplaced;
  }

  #quit(prints: boolean): Outcome {
    this.#endCycle(prints);
    this.hasQuit = true;
    return "stop";
  }

  #sinkOf(name: string): SedSink {
    return name === "/dev/stdout" ? this.#sink : this.#around.fileSink(name);
  }

  #isSelected(command: SedCommand): boolean {
    const { first, second, range } = command;
    if (first === null) return true;
    if (second === null) return this.#meets(first);
    if (range.is === "open") {
      if (second.is === "match" || second.is === "last" || second.is === "step") {
        if (this.#meets(second)) range.is = "closed";
        return true;
      }
      const last = second.is === "line" ? second.line : range.end;
      if (this.#line >= last) range.is = "closed";
      if (this.#line <= last) return true;
      // Lines behind the end that another command had read: the range is over, and may begin anew.
      return this.#meets(first) && this.#open(second, range);
    }
    return this.#meets(first) && this.#open(second, range);
  }

  #open(second: SedAddress, range: SedCommand["range"]): boolean {
    let last = Number.POSITIVE_INFINITY;
    if (second.is === "line") last = second.line;
    else if (second.is === "plus") last = this.#line + second.lines;
    else if (second.is === "multiple")
      last = second.of > 0 ? Math.ceil(this.#line / second.of) * second.of : this.#line;
    range.end = last;
    range.is = this.#line < last ? "open" : "closed";
    if (second.is === "last" && this.#source.isLast()) range.is = "closed";
    return true;
  }

  #meets(address: SedAddress): boolean {
    switch (address.is) {
      case "line":
        return this.#line === address.line;
      case "step":
        return this.#line >= address.first && (this.#line - address.first) % address.step === 0;
      case "last":
        return this.#source.isLast();
      case "match":
        return this.#regexOf(address.regex).test(this.#space);
      default:
        return false;
    }
  }

  #regexOf(regex: Regex | null): Regex {
    const found = regex ?? this.#lastRegex;
    if (found === null) throw new SedError("-e expression #1, char 0: no previous regular expression");
    this.#lastRegex = found;
    return found;
  }

  async #evaluate(command: string): Promise<void> {
    const { end } = this.#around;
    if (command !== "") {
      this.#sink.raw(await this.#around.run(command), end);
      return;
    }
    const text = await this.#around.run(this.#space);
    this.#space = text.endsWith(end) ? text.slice(0, -1) : text;
  }

  async #substitute(task: Substitution): Promise<void> {
    const regex = this.#regexOf(task.regex);
    const space = this.#space;
    let result = "";
    let copied = 0;
    let count = 0;
    let isDone = false;
    for (let at = 0; at <= space.length; ) {
      const match = regex.find(space, at, task.needsGroups);
      if (match === null) break;
      const { start, end } = match;
      // Nothing right behind a match is no match of its own.
      if (start === end && count > 0 && start === copied && at > 0 && this.#endOfLast === start) {
        if (start >= space.length) break;
        at = start + charLength(space, start);
        this.#endOfLast = -1;
        continue;
      }
      count++;
      if (count >= task.number) {
        result += space.slice(copied, start) + replace(task.replacement, space, match);
        copied = end;
        isDone = true;
      }
      this.#endOfLast = end;
      if (isDone && !task.isGlobal) break;
      at = end;
      if (start === end) {
        if (start >= space.length) break;
        at = end + charLength(space, end);
        this.#endOfLast = -1;
      }
    }
    this.#endOfLast = -1;
    if (!isDone) return;
    this.#space = result + space.slice(copied);
    this.#isReplaced = true;
    if (task.evaluates) await this.#evaluate("");
    if (task.prints) this.#print();
    if (task.file !== null) this.#sinkOf(task.file).line(this.#space, this.#around.end, this.#hasEnd);
  }
  #endOfLast = -1;

  /** `l`: the pattern space with nothing left to guess. */
  #list(lineLength: number): string {
    const width = lineLength > 1 ? lineLength - 1 : Number.POSITIVE_INFINITY;
    let text = "";
    let line = "";
    const names: Readonly<Record<string, string>> = {
      "\\": "\\\\",
      "\x07": "\\a",
      "\b": "\\b",
      "\f": "\\f",
      "\n": "\\n",
      "\r": "\\r",
      "\t": "\\t",
      "\v": "\\v",
    };
    for (const char of textToBytes(this.#space)) {
      const code = char.charCodeAt(0);
      const isPlain = code >= 32 && code < 127;
      const shown = names[char] ?? (isPlain ? char : `\\${code.toString(8).padStart(3, "0")}`);
      if (line.length + shown.length > width) {
        text += `${line}\\\n`;
        line = "";
      }
      line += shown;
    }
    return `${text}${line}$\n`;
  }
}

function charLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function replace(
  parts: readonly ReplacementPart[],
  space: string,
  match: { start: number; end: number; groups: readonly (readonly [number, number])[] },
): string {
  let result = "";
  let mode: "U" | "L" | "" = "";
  let once: "u" | "l" | "" = "";
  for (const part of parts) {
    if (part.is === "case") {
      if (part.change === "u" || part.change === "l") once = part.change;
      else mode = part.change === "E" ? "" : part.change;
      continue;
    }
    let text: string;
    if (part.is === "text") text = part.text;
    else {
      const [start, end] =
        part.index === 0 ? [match.start, match.end] : (match.groups[part.index - 1] ?? [-1, -1]);
      text = start < 0 ? "" : space.slice(start, end);
    }
    if (text === "") continue;
    if (mode === "U") text = text.toUpperCase();
    else if (mode === "L") text = text.toLowerCase();
    if (once !== "") {
      const length = charLength(text, 0);
      const first = text.slice(0, length);
      text = (once === "u" ? first.toUpperCase() : first.toLowerCase()) + text.slice(length);
      once = "";
    }
    result += text;
  }
  return result;
}
