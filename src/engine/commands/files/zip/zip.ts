import { Buffer } from "node:buffer";
import {
  type Command,
  type CommandContext,
  decodeBytesToUtf8,
  defineCommand,
  latin1FromBytes,
} from "just-bash";
import { reasonOf } from "../../reason.ts";
import { baseName, joinShown, kindBits, lookIfThere } from "../look.ts";
import { patternOf } from "../name-match.ts";
import { Report } from "../report.ts";
import { LINK_MODE, pack, percentSaved, readZip, writeZip, type ZipEntry } from "./archive.ts";

const HELP = `zip (compatible with Info-ZIP 3.0): zip [-options] zipfile list...
  -r recurse into directories   -j junk directory names   -q quiet
  -u update: only changed files -f freshen: only changed  -d delete entries
  -m move into zipfile          -y store symbolic links   -@ read names from stdin
  -x exclude the following      -i include only these     -0 store ... -9 better
  -D no directory entries       -T test                   -FS as -u
`;
const FLAGS = "rjqufdmyDTvolXgkeS@0123456789";

interface Request {
  readonly letters: ReadonlySet<string>;
  readonly level: number;
  readonly excluded: readonly RegExp[];
  readonly included: readonly RegExp[];
}

/** `zip` as Info-ZIP has it. The engine has none. */
export const zip: Command = defineCommand("zip", async (args, ctx) => {
  const report = new Report("zip");
  const letters = new Set<string>();
  const names: string[] = [];
  const lists = { x: [] as string[], i: [] as string[] };
  let list: "x" | "i" | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--help" || arg === "-h") return { stdout: HELP, stderr: "", exitCode: 0 };
    const long = (
      {
        "--recurse-paths": "-r",
        "--quiet": "-q",
        "--junk-paths": "-j",
        "--exclude": "-x",
        "--include": "-i",
      } as Record<string, string>
    )[arg];
    const option = long ?? arg;
    if (list !== undefined && !option.startsWith("-") && option !== "@") lists[list].push(arg);
    else if (option === "@" && list !== undefined) list = undefined;
    else if (/^-[xi]./.test(option)) lists[option[1] === "x" ? "x" : "i"].push(option.slice(2));
    else if (option.startsWith("-") && option !== "-" && option !== "--") {
      list = undefined;
      for (const letter of option.slice(1)) {
        if (letter === "x" || letter === "i") list = letter;
        else if (FLAGS.includes(letter)) letters.add(letter);
        else return failed(report, 16, `Invalid command arguments (short option '${letter}' not supported)`);
      }
    } else if (option !== "--") names.push(arg);
  }
  if (letters.has("e"))
    return failed(report, 16, "Invalid command arguments (encryption is not available here)");
  const [archive, ...files] = names;
  if (archive === undefined) return { stdout: HELP, stderr: "", exitCode: 0 };
  if (letters.has("@"))
    files.push(
      ...decodeBytesToUtf8(ctx.stdin)
        .split("\n")
        .filter((line) => line !== ""),
    );
  const shown = archive === "-" || baseName(archive).includes(".") ? archive : `${archive}.zip`;
  const path = ctx.fs.resolvePath(ctx.cwd, shown);
  let old: ZipEntry[] = [];
  if (archive !== "-" && (await lookIfThere(ctx.fs, path, true)) !== null) {
    try {
      const entries = readZip(await ctx.fs.readFileBuffer(path));
      if (entries === null) return failed(report, 3, `Zip file structure invalid (${shown})`);
      old = entries;
    } catch (error) {
      return failed(report, 18, `Could not open for reading (${shown}: ${reasonOf(error)})`);
    }
  }
  const level = Number([...letters].findLast((letter) => /\d/.test(letter)) ?? 6);
  const patterns = (texts: readonly string[]): RegExp[] => texts.map((text) => patternOf(text));
  const request = { letters, level, excluded: patterns(lists.x), included: patterns(lists.i) };
  const say = (line: string): void => {
    if (letters.has("q")) return;
    if (archive === "-") report.stderr += line;
    else report.print(line);
  };
  const zipper = new Zipper(ctx, report, request, old, path, say);
  if (letters.has("d")) zipper.remove(files);
  else {
    if (files.length === 0 && letters.has("f")) files.push(...old.map(({ name }) => name));
    if (files.length === 0 && !letters.has("T"))
      return failed(report, 9, "Invalid command arguments (nothing to select from)");
    for (const file of await zipper.known(files)) await zipper.add(file);
  }
  if (!zipper.hasChanged && !letters.has("T")) {
    return letters.has("u") || letters.has("f")
      ? { ...report.result(), exitCode: 12 }
      : failed(report, 12, `Nothing to do! (${shown})`);
  }
  const bytes = writeZip(zipper.entries());
  if (archive === "-") report.printBytes(bytes.toString("latin1"));
  else {
    try {
      await ctx.fs.writeFile(path, bytes);
    } catch (error) {
      return failed(report, 15, `Could not create output file (${shown}: ${reasonOf(error)})`);
    }
    if (letters.has("T")) report.print(`test of ${shown} OK\n`);
  }
  if (letters.has("m")) for (const taken of zipper.taken) await ctx.fs.rm(taken).catch(() => undefined);
  return report.result();
});

function failed(report: Report, exitCode: number, why: string) {
  report.print(`\nzip error: ${why}\n`);
  report.exitCode = exitCode;
  return report.result();
}

class Zipper {
  hasChanged = false;
  /** Paths of what was taken, children before their directories. */
  readonly taken: string[] = [];
  readonly #ctx: CommandContext;
  readonly #report: Report;
  readonly #request: Request;
  readonly #entries: Map<string, ZipEntry>;
  readonly #archive: string;
  readonly #say: (line: string) => void;

  constructor(
    ctx: CommandContext,
    report: Report,
    request: Request,
    old: readonly ZipEntry[],
    archive: string,
    say: (line: string) => void,
  ) {
    this.#ctx = ctx;
    this.#report = report;
    this.#request = request;
    this.#entries = new Map(old.map((entry) => [entry.name, entry]));
    this.#archive = archive;
    this.#say = say;
  }

  entries(): ZipEntry[] {
    return [...this.#entries.values()];
  }

  remove(names: readonly string[]): void {
    for (const name of names) {
      const pattern = patternOf(name);
      const found = [...this.#entries.keys()].filter((entry) => pattern.test(entry));
      if (found.length === 0) this.#note(`\tzip warning: name not matched: ${name}\n`);
      for (const entry of found) {
        this.#entries.delete(entry);
        this.hasChanged = true;
        this.#say(`deleting: ${entry}\n`);
      }
    }
  }

  /** The files that are there; the others are named before anything is done. */
  async known(files: readonly string[]): Promise<string[]> {
    const known: string[] = [];
    for (const file of files) {
      const path = this.#ctx.fs.resolvePath(this.#ctx.cwd, file);
      if (file === "-" || (await lookIfThere(this.#ctx.fs, path, false)) !== null) known.push(file);
      else this.#note(`\tzip warning: name not matched: ${file}\n`);
    }
    return known;
  }

  async add(file: string): Promise<void> {
    if (file === "-") {
      const content = Buffer.from(latin1FromBytes(this.#ctx.stdin), "latin1");
      this.#put(pack("-", content, 0o100600, Date.now() / 1000, this.#request.level));
      return;
    }
    await this.#add(file.replace(/(?<=.)\/+$/, ""), this.#ctx.fs.resolvePath(this.#ctx.cwd, file));
  }

  async #add(shown: string, path: string): Promise<void> {
    const { letters, level, excluded, included } = this.#request;
    const { fs } = this.#ctx;
    const entry = await lookIfThere(fs, path, !letters.has("y"));
    if (entry === null) {
      this.#note(`\tzip warning: name not matched: ${shown}\n`);
      return;
    }
    if (path === this.#archive) return;
    const bare = letters.has("j") ? baseName(shown) : shown.replace(/^(\.?\/+)+/, "").replace(/^\.$/, "");
    const name = entry.isDirectory && bare !== "" ? `${bare}/` : bare;
    const isLeftOut =
      excluded.some((pattern) => pattern.test(name)) ||
      (included.length > 0 && !included.some((pattern) => pattern.test(name)));
    const isPlace = entry.isDirectory && (letters.has("j") || letters.has("D") || name === "");
    const old = this.#entries.get(name);
    const mtime = Math.floor(entry.mtimeMs / 1000);
    const isKept =
      (letters.has("u") && old !== undefined && old.mtime >= mtime) ||
      (letters.has("f") && (old === undefined || old.mtime >= mtime));
    if (!isLeftOut && !isPlace && !isKept) {
      try {
        let content: Uint8Array = new Uint8Array(0);
        if (entry.isSymbolicLink) content = Buffer.from(await fs.readlink(path));
        else if (entry.isFile) content = await fs.readFileBuffer(path);
        const mode = entry.isSymbolicLink ? LINK_MODE : kindBits(entry) | entry.mode;
        this.#put(pack(name, content, mode, mtime, level));
        this.taken.unshift(path);
      } catch (error) {
        this.#note(`\tzip warning: could not open for reading: ${shown}: ${reasonOf(error)}\n`);
        this.#report.exitCode = 18;
      }
    }
    if (!entry.isDirectory || !letters.has("r")) return;
    for (const child of await fs.readdir(path))
      await this.#add(joinShown(shown, child), joinShown(path, child));
  }

  /** Warnings go where the lines go, also without lines. */
  #note(line: string): void {
    if (this.#archive.endsWith("/-")) this.#report.stderr += line;
    else this.#report.print(line);
  }

  #put(entry: ZipEntry): void {
    const verb = this.#entries.has(entry.name) ? "updating" : "  adding";
    const how =
      entry.method === 8 ? `deflated ${percentSaved(entry.size, entry.packed.length)}%` : "stored 0%";
    this.#entries.set(entry.name, entry);
    this.hasChanged = true;
    this.#say(`${verb}: ${entry.name} (${how})\n`);
  }
}
