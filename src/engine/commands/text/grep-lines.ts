/** The lines of one text that `grep` selects, and how it shows them. */
import { textToBytes } from "../../byte-text.ts";
import type { GrepRequest } from "./grep-options.ts";
import type { Regex } from "./regex/regex.ts";
import type { Output } from "./text-input.ts";

const STRAY = /[\udc80-\udcff]/;

/** Searches one text; says whether a line was selected. */
export function grepText(
  text: string,
  name: string,
  showsName: boolean,
  regex: Regex,
  request: GrepRequest,
  output: Output,
): boolean {
  const { flags, maxCount } = request;
  const end = flags.has("z") ? "\0" : "\n";
  const isBinary = request.binaryFiles !== "text" && !flags.has("z") && text.includes("\0");
  if (isBinary && request.binaryFiles === "without-match") return false;
  const isInverted = flags.has("v");
  const showsLines = !(flags.has("q") || flags.has("l") || flags.has("L") || flags.has("c"));
  const printer = new LinePrinter(request, name, showsName, regex, output);
  let count = 0;
  let number = 0;
  let isHidden = false;
  for (let start = 0; start < text.length; ) {
    if (count >= maxCount) {
      if (!showsLines || isHidden || !printer.wantsMore()) break;
    }
    const feed = text.indexOf(end, start);
    const stop = feed < 0 ? text.length : feed;
    const line = text.slice(start, stop);
    number++;
    const isSelected = count < maxCount && regex.test(line) !== isInverted;
    if (isSelected) {
      count++;
      if (flags.has("q") || flags.has("l") || flags.has("L")) break;
    }
    if (showsLines && !isHidden) {
      if (isSelected && (isBinary || (request.binaryFiles !== "text" && STRAY.test(line)))) {
        isHidden = true;
        if (request.binaryFiles === "without-match") return true;
        output.stderr += `grep: ${name}: binary file matches\n`;
        if (isBinary) break;
      } else printer.take(line, number, start, text, isSelected);
    }
    start = stop + 1;
  }
  const isFound = count > 0;
  if (flags.has("q")) return isFound;
  if (flags.has("c")) {
    const shown = showsName ? printer.prefix(flags.has("Z") ? "\0" : ":") : "";
    output.write(`${shown}${count}\n`);
  }
  if (flags.has("l") ? isFound : flags.has("L") && !isFound)
    output.write(`${printer.paintName()}${flags.has("Z") ? "\0" : "\n"}`);
  return isFound;
}

class LinePrinter {
  readonly #request: GrepRequest;
  readonly #name: string;
  readonly #showsName: boolean;
  readonly #regex: Regex;
  readonly #output: Output;
  /** Lines held for the context in front of a selected one. */
  #held: { line: string; number: number; start: number }[] = [];
  #afterLeft = 0;
  #lastShown = 0;
  #bytes = { at: 0, count: 0 };

  constructor(request: GrepRequest, name: string, showsName: boolean, regex: Regex, output: Output) {
    this.#request = request;
    this.#name = name;
    this.#showsName = showsName;
    this.#regex = regex;
    this.#output = output;
  }

  wantsMore(): boolean {
    return this.#afterLeft > 0;
  }

  take(line: string, number: number, start: number, text: string, isSelected: boolean): void {
    const { before, after, separator } = this.#request;
    if (isSelected) {
      const first = this.#held[0]?.number ?? number;
      const hasContext = before > 0 || after > 0;
      if (hasContext && separator !== null && this.#output.hasShownLines && first > this.#lastShown + 1)
        this.#output.write(`${this.#paint(separator, "36")}\n`);
      for (const held of this.#held) this.#show(held.line, held.number, held.start, text, false);
      this.#held = [];
      this.#show(line, number, start, text, true);
      this.#output.hasShownLines = true;
      this.#afterLeft = after;
    } else if (this.#afterLeft > 0) {
      this.#afterLeft--;
      this.#show(line, number, start, text, false);
    } else if (before > 0) {
      this.#held.push({ line, number, start });
      if (this.#held.length > before) this.#held.shift();
    }
  }

  prefix(end: string): string {
    return `${this.paintName()}${end === "\0" ? end : this.#paint(end, "36")}`;
  }

  paintName(): string {
    return this.#paint(this.#name, "35");
  }

  #paint(text: string, color: string): string {
    return this.#request.isColored ? `\x1b[${color}m\x1b[K${text}\x1b[m\x1b[K` : text;
  }

  #head(number: number, at: number, text: string, mark: string): string {
    const { flags } = this.#request;
    const tab = flags.has("T");
    let head = this.#showsName ? this.prefix(flags.has("Z") ? "\0" : mark) : "";
    if (flags.has("n"))
      head += `${this.#paint(tab ? String(number).padStart(2) : String(number), "32")}${this.#paint(mark, "36")}`;
    if (flags.has("b")) {
      // Offsets grow, so what was counted before is not counted again.
      if (at < this.#bytes.at) this.#bytes = { at: 0, count: 0 };
      this.#bytes = { at, count: this.#bytes.count + textToBytes(text.slice(this.#bytes.at, at)).length };
      head += `${this.#paint(String(this.#bytes.count), "32")}${this.#paint(mark, "36")}`;
    }
    return tab && head !== "" ? `${head}\t` : head;
  }

  #show(line: string, number: number, start: number, text: string, isSelected: boolean): void {
    const { flags, isColored } = this.#request;
    const end = flags.has("z") ? "\0" : "\n";
    const mark = isSelected ? ":" : "-";
    this.#lastShown = number;
    if (flags.has("o")) {
      if (!isSelected || flags.has("v")) return;
      for (const [from, to] of this.#matches(line)) {
        const shown = this.#paint(line.slice(from, to), "01;31");
        this.#output.write(`${this.#head(number, start + from, text, mark)}${shown}${end}`);
      }
      return;
    }
    const head = this.#head(number, start, text, mark);
    if (!isColored || isSelected === flags.has("v")) {
      this.#output.write(`${head}${line}${end}`);
      return;
    }
    let shown = "";
    let at = 0;
    for (const [from, to] of this.#matches(line)) {
      shown += line.slice(at, from) + this.#paint(line.slice(from, to), "01;31");
      at = to;
    }
    this.#output.write(`${head}${shown}${line.slice(at)}${end}`);
  }

  /** The parts that match and are not empty. */
  *#matches(line: string): Generator<readonly [number, number]> {
    for (let at = 0; at <= line.length; ) {
      const found = this.#regex.find(line, at);
      if (found === null) return;
      if (found.end > found.start) yield [found.start, found.end];
      at = found.end > found.start ? found.end : found.end + 1;
    }
  }
}
