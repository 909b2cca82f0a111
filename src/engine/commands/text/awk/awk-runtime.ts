/**
 * What a running program of `awk` has: record and fields, variables, files and commands it reads and writes.
 * Over 300 lines: all of it hangs on the record and on the variables that `awk` sets by itself.
 */

import type { CommandContext } from "just-bash";
import { unescapeStrayBytes } from "../../../../workspace/stray-bytes.ts";
import { bytesToText, textToBytes } from "../../../byte-text.ts";
import { reasonOf } from "../../reason.ts";
import type { Output, TextInput } from "../text-input.ts";
import { AwkArray } from "./awk-array.ts";
import { AwkRandom } from "./awk-random.ts";
import { awkRegex, matchFields, RecordReader, splitFields } from "./awk-records.ts";
import { unescapeString } from "./awk-tokens.ts";
import { AwkError } from "./awk-tree.ts";
import { Input, isTrue, numberText, toNumber, type Value } from "./awk-values.ts";

/** Variables with a place of their own. */
const FIXED = [
  "FS",
  "OFS",
  "RS",
  "ORS",
  "SUBSEP",
  "CONVFMT",
  "OFMT",
  "IGNORECASE",
  "FILENAME",
  "RSTART",
  "RLENGTH",
  "RT",
  "FPAT",
  "FIELDWIDTHS",
  "ERRNO",
  "ARGC",
] as const;
type Fixed = (typeof FIXED)[number];
const SLOT = Object.fromEntries(FIXED.map((name, slot) => [name, slot])) as Record<Fixed, number>;

interface OutputFile {
  text: string;
  appends: boolean;
}

export class AwkRuntime {
  readonly ctx: CommandContext;
  readonly input: TextInput;
  readonly output: Output;
  readonly random = new AwkRandom();
  readonly slots = new Map<string, number>(Object.entries(SLOT));
  readonly globals: Value[] = [
    " ",
    " ",
    "\n",
    "\n",
    "\x1c",
    "%.6g",
    "%.6g",
    0,
    undefined,
    0,
    -1,
    "",
    "[^[:space:]]+",
    "",
    "",
    0,
  ];
  readonly arrays = new Map<string, AwkArray>();
  frame: (Value | AwkArray)[] = [];
  returned: Value;
  exitCode = 0;
  nr = 0;
  fnr = 0;
  #record = "";
  #fields: Value[] = [];
  #isSplit = true;
  #isStale = false;
  /** How the fields of the current record are found: by `FS`, by their content, by their width. */
  #splitBy: "FS" | "FPAT" | "FIELDWIDTHS" = "FS";
  #pending = "";
  /** Where `-i inplace` collects what would go to standard output. */
  #inPlace: { path: string; text: string } | null = null;
  readonly #isInPlace: boolean;
  readonly #readers = new Map<string, RecordReader>();
  readonly #files = new Map<string, OutputFile>();
  readonly #pipes = new Map<string, string>();
  #reader: RecordReader | null = null;
  #argumentAt = 1;
  #hasReadFile = false;

  constructor(ctx: CommandContext, input: TextInput, output: Output, isInPlace: boolean) {
    this.ctx = ctx;
    this.input = input;
    this.output = output;
    this.#isInPlace = isInPlace;
  }

  // Variables

  slotOf(name: string): number {
    let slot = this.slots.get(name);
    if (slot === undefined) {
      slot = this.globals.push(undefined) - 1;
      this.slots.set(name, slot);
    }
    return slot;
  }
  array(name: string): AwkArray {
    let array = this.arrays.get(name);
    if (array === undefined) {
      array = new AwkArray();
      this.arrays.set(name, array);
    }
    return array;
  }
  fixed(name: Fixed): string {
    return this.text(this.globals[SLOT[name]]);
  }
  setFixed(name: Fixed, value: Value): void {
    this.globals[SLOT[name]] = value;
  }
  get ignoresCase(): boolean {
    const value = this.globals[SLOT.IGNORECASE];
    return value !== 0 && isTrue(value);
  }
  getVariable(name: string): Value {
    if (name === "NF") return this.nf;
    if (name === "NR") return this.nr;
    if (name === "FNR") return this.fnr;
    return this.globals[this.slotOf(name)];
  }
  setVariable(name: string, value: Value): void {
    if (name === "NF") this.nf = toNumber(value);
    else if (name === "NR") this.nr = toNumber(value);
    else if (name === "FNR") this.fnr = toNumber(value);
    else {
      // The record at hand keeps the separator that it was read under.
      if (name === "FS" || name === "FPAT" || name === "FIELDWIDTHS") {
        this.#split();
        this.#splitBy = name;
      }
      this.globals[this.slotOf(name)] = value;
    }
  }
  /** An assignment of the command line. */
  assign(name: string, text: string): void {
    this.setVariable(name, new Input(unescapeString(text)));
  }

  text(value: Value): string {
    if (typeof value === "string") return value;
    if (typeof value === "number") {
      return Number.isInteger(value) && Math.abs(value) < 1e16
        ? String(value === 0 ? 0 : value)
        : numberText(value, this.#format(SLOT.CONVFMT));
    }
    return value === undefined ? "" : value.text;
  }
  /** Text as `print` shows it. */
  shown(value: Value): string {
    return typeof value === "number" ? numberText(value, this.#format(SLOT.OFMT)) : this.text(value);
  }
  #format(slot: number): string {
    const format = this.globals[slot];
    return typeof format === "string" ? format : format instanceof Input ? format.text : "%.6g";
  }

  // Record and fields

  get record(): string {
    if (this.#isStale) {
      const ofs = this.fixed("OFS");
      this.#record = this.#fields.map((field) => this.text(field)).join(ofs);
      this.#isStale = false;
    }
    return this.#record;
  }
  setRecord(text: string): void {
    this.#record = text;
    this.#isStale = false;
    this.#isSplit = false;
  }
  #split(): void {
    if (this.#isSplit) return;
    this.#isSplit = true;
    const text = this.#record;
    let parts: string[];
    if (this.#splitBy === "FPAT") parts = matchFields(text, this.fixed("FPAT"), this.ignoresCase);
    else if (this.#splitBy === "FIELDWIDTHS") parts = this.#byWidth(text);
    else parts = splitFields(text, this.fixed("FS"), this.fixed("RS") === "", this.ignoresCase);
    this.#fields = parts.map((part) => new Input(part));
  }
  #byWidth(text: string): string[] {
    const parts: string[] = [];
    let at = 0;
    for (const width of this.fixed("FIELDWIDTHS")
      .trim()
      .split(/[\s,]+/)) {
      const [, skip, size = "0"] = /^(?:(\d+):)?(\d+|\*)$/.exec(width) ?? [];
      at += Number(skip ?? 0);
      if (at >= text.length) break;
      const end = size === "*" ? text.length : at + Number(size);
      parts.push(text.slice(at, end));
      at = end;
    }
    return parts;
  }
  get nf(): number {
    this.#split();
    return this.#fields.length;
  }
  set nf(count: number) {
    this.#split();
    if (count < 0) throw new AwkError("cmd. line:1: fatal: NF set to negative value");
    const size = Math.trunc(count);
    while (this.#fields.length < size) this.#fields.push(new Input(""));
    this.#fields.length = size;
    this.#isStale = true;
  }
  field(number: number): Value {
    if (number === 0) return new Input(this.record);
    if (number < 0)
      throw new AwkError(
        `cmd. line:1: (FILENAME=${this.fixed("FILENAME")} FNR=${this.fnr}) fatal: attempt to access field ${Math.trunc(number)}`,
      );
    this.#split();
    return this.#fields[Math.trunc(number) - 1];
  }
  setField(number: number, value: Value): void {
    if (number < 0) this.field(number);
    const index = Math.trunc(number);
    if (index === 0) {
      this.setRecord(this.text(value));
      return;
    }
    this.#split();
    while (this.#fields.length < index) this.#fields.push(new Input(""));
    this.#fields[index - 1] = typeof value === "number" || value === undefined ? this.text(value) : value;
    if (typeof value === "number") this.#fields[index - 1] = new Input(this.text(value));
    this.#isStale = true;
  }

  // Input

  /** The next record of the file at hand; null where it has ended. */
  readRecord(): string | null {
    const reader = this.#reader;
    if (reader === null) return null;
    const record = reader.next(this.fixed("RS"), this.ignoresCase);
    if (record === null) return null;
    this.nr++;
    this.fnr++;
    this.setFixed("RT", reader.terminator);
    return record;
  }

  /** Goes to the next file of the command line; false behind the last. */
  async openNext(): Promise<boolean> {
    this.#reader = null;
    for (; this.#argumentAt < toNumber(this.globals[SLOT.ARGC]); ) {
      const argument = this.text(this.array("ARGV").get(String(this.#argumentAt++)) as Value);
      const assignment = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(argument);
      if (argument === "") continue;
      if (assignment !== null) {
        this.assign(assignment[1] ?? "", assignment[2] ?? "");
        continue;
      }
      if (argument !== "-" && (await this.input.isDirectory(argument))) {
        this.output.stderr += `awk: warning: command line argument \`${argument}' is a directory: skipped\n`;
        continue;
      }
      const read = await this.input.read(argument);
      if ("why" in read)
        throw new AwkError(`fatal: cannot open file \`${argument}' for reading: ${read.why}`);
      this.#open(argument, read.text);
      return true;
    }
    if (this.#hasReadFile) return false;
    this.#open("-", this.input.stdin());
    return true;
  }
  #open(name: string, text: string): void {
    this.#hasReadFile = true;
    this.#reader = new RecordReader(text);
    this.fnr = 0;
    this.setFixed("FILENAME", name);
    if (this.#isInPlace && name !== "-") this.#inPlace = { path: name, text: "" };
  }
  /** Whether a file is open: `getline` may have opened it before the records are asked for. */
  get isReading(): boolean {
    return this.#reader !== null;
  }
  skipFile(): void {
    this.#reader?.skipRest();
  }
  async endFile(): Promise<void> {
    this.#reader = null;
    const file = this.#inPlace;
    this.#inPlace = null;
    if (file !== null) await this.#writeFile(file.path, file.text, false);
  }

  async getlineInput(): Promise<string | null> {
    for (;;) {
      const record = this.readRecord();
      if (record !== null) return record;
      if (!(await this.openNext())) return null;
    }
  }
  /** A record of a file, null at its end; undefined where the file cannot be read. */
  async getlineFile(name: string): Promise<string | null | undefined> {
    let reader = this.#readers.get(`<${name}`);
    if (reader === undefined) {
      await this.flushFiles();
      const read = await this.input.read(name);
      if ("why" in read) {
        this.setFixed("ERRNO", read.why);
        return undefined;
      }
      reader = new RecordReader(read.text);
      this.#readers.set(`<${name}`, reader);
    }
    const record = reader.next(this.fixed("RS"), this.ignoresCase);
    this.setFixed("RT", reader.terminator);
    return record;
  }
  async getlineCommand(command: string): Promise<string | null> {
    let reader = this.#readers.get(`|${command}`);
    if (reader === undefined) {
      await this.flushFiles();
      reader = new RecordReader((await this.#run(command, this.input.peekStdin())).stdout);
      this.#readers.set(`|${command}`, reader);
    }
    return reader.next(this.fixed("RS"), this.ignoresCase);
  }

  // Output

  write(text: string): void {
    if (this.#inPlace !== null) this.#inPlace.text += text;
    else this.#pending += text;
  }
  redirect(kind: ">" | ">>" | "|", name: string, text: string): void {
    if (kind === "|") {
      if (!this.#pipes.has(name)) this.#flush();
      this.#pipes.set(name, (this.#pipes.get(name) ?? "") + text);
    } else if (name === "/dev/stdout" || name === "-") this.write(text);
    else if (name === "/dev/stderr") {
      this.output.stderr += text;
    } else {
      const file = this.#files.get(name) ?? { text: "", appends: kind === ">>" };
      file.text += text;
      this.#files.set(name, file);
    }
  }
  #flush(): void {
    this.output.write(this.#pending);
    this.#pending = "";
  }
  async flushFiles(): Promise<void> {
    this.#flush();
    for (const [name, file] of this.#files) await this.#writeOut(name, file);
  }
  async #writeOut(name: string, file: OutputFile): Promise<void> {
    await this.#writeFile(name, file.text, file.appends);
    file.text = "";
    file.appends = true;
  }
  async #writeFile(name: string, text: string, appends: boolean): Promise<void> {
    if (appends && text === "") return;
    const { fs, cwd } = this.ctx;
    const path = fs.resolvePath(cwd, name);
    const bytes = new Uint8Array(unescapeStrayBytes(text));
    try {
      await (appends ? fs.appendFile(path, bytes) : fs.writeFile(path, bytes));
    } catch (error) {
      throw new AwkError(`cmd. line:1: fatal: cannot redirect to \`${name}': ${reasonOf(error)}`);
    }
  }

  async system(command: string): Promise<number> {
    await this.flushFiles();
    const { stdout, exitCode } = await this.#run(command, this.input.peekStdin());
    this.output.write(stdout);
    return exitCode;
  }
  async close(name: string): Promise<number> {
    let status = -1;
    const pipe = this.#pipes.get(name);
    if (pipe !== undefined) {
      this.#pipes.delete(name);
      await this.flushFiles();
      const { stdout, exitCode } = await this.#run(name, pipe);
      this.output.write(stdout);
      status = exitCode;
    }
    const file = this.#files.get(name);
    if (file !== undefined) {
      await this.#writeOut(name, file);
      this.#files.delete(name);
      status = 0;
    }
    for (const kind of ["<", "|"]) if (this.#readers.delete(`${kind}${name}`)) status = 0;
    return status;
  }
  /** Ends all that is open. Commands come before what is still held of the program's own output, as in gawk. */
  async finish(): Promise<void> {
    await this.endFile();
    const held = this.#pending;
    this.#pending = "";
    for (const name of [...this.#pipes.keys()]) await this.close(name);
    for (const [name, file] of this.#files) await this.#writeOut(name, file);
    this.#pending = held;
    this.#flush();
  }
  async #run(command: string, stdin: string): Promise<{ stdout: string; exitCode: number }> {
    const { exec, cwd } = this.ctx;
    if (exec === undefined) return { stdout: "", exitCode: 127 };
    const result = await exec(command, { cwd, stdin: textToBytes(stdin), stdinKind: "bytes" });
    this.output.stderr += result.stderr;
    return {
      stdout: result.stdoutKind === "bytes" ? bytesToText(result.stdout) : result.stdout,
      exitCode: result.exitCode,
    };
  }

  regex(source: string) {
    return awkRegex(source, this.ignoresCase);
  }
}
