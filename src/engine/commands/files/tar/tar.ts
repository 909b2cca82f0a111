/** `tar` as GNU has it: its operations. Longer than most files because they share one archive and one report. */
import { Buffer } from "node:buffer";
import {
  type Command,
  type CommandContext,
  decodeBytesToUtf8,
  defineCommand,
  type ExecResult,
  latin1FromBytes,
} from "just-bash";
import { reasonOf } from "../../reason.ts";
import { instantOfDate } from "../format-time.ts";
import { lookIfThere } from "../look.ts";
import { parseMode } from "../mode-change.ts";
import { patternOf } from "../name-match.ts";
import { parseDate } from "../parse-date.ts";
import { Report } from "../report.ts";
import { timeZone } from "../time-zone.ts";
import { ArchiveError, encodeMember, endOfArchive, type Member, membersOf } from "./archive.ts";
import { compareMember } from "./compare.ts";
import { Collector, ownerOf } from "./create.ts";
import { Extractor } from "./extract.ts";
import { MemberLines, shownName } from "./lines.ts";
import { excluder, stripped, transformer } from "./names.ts";
import { readTarArguments, type TarArguments, type TarKey } from "./options.ts";
import { packGzip, packingOf, unpackGzip } from "./packing.ts";

const OPERATIONS = [
  "create",
  "extract",
  "list",
  "append",
  "update",
  "compare",
  "delete",
  "concatenate",
] as const;
const ALIASES: Partial<Record<TarKey, (typeof OPERATIONS)[number]>> = { get: "extract", diff: "compare" };

/** Ends the call at once. */
class TarEnd extends Error {}

/**
 * `tar` as GNU has it. The engine's own follows symbolic links, drops modes and times on the way out, and lacks
 * half of the options. bzip2 and xz are left to it.
 */
export const tar: Command = defineCommand("tar", async (args, ctx) => {
  const parsed = readTarArguments(args);
  if ("exitCode" in parsed) return parsed;
  if (needsOtherPacking(parsed) && ctx.origCommand !== undefined) return ctx.origCommand(args);
  const report = new Report("tar");
  const call = new TarCall(ctx, parsed, report);
  try {
    const original = await call.run(args);
    if (original !== undefined) return original;
    if (report.exitCode === 2) report.fail("Exiting with failure status due to previous errors", 2);
  } catch (error) {
    if (!(error instanceof TarEnd)) throw error;
    report.fail(error.message, 2);
    if (!error.message.includes("Try 'tar")) report.fail("Error is not recoverable: exiting now", 2);
  }
  return report.result();
});

function needsOtherPacking({ has, value }: TarArguments): boolean {
  const isOther = (["bzip2", "xz", "zstd", "compress", "lzma"] as const).some(has);
  const program = value("program");
  return (
    isOther ||
    (program !== undefined && !/^(gzip|pigz)\b/.test(program)) ||
    (has("autoCompress") && has("create") && /\.(t?bz2?|t?xz|t?zst|tbz2)$/.test(value("file") ?? ""))
  );
}

class TarCall {
  readonly #ctx: CommandContext;
  readonly #args: TarArguments;
  readonly #report: Report;
  readonly #lines: MemberLines;
  readonly #transform: (name: string) => string;

  constructor(ctx: CommandContext, args: TarArguments, report: Report) {
    this.#ctx = ctx;
    this.#args = args;
    this.#report = report;
    const { has, values } = args;
    this.#lines = new MemberLines(
      timeZone(has("utc") ? "UTC" : ctx.env.get("TZ")),
      has("numericOwner"),
      has("fullTime"),
    );
    const transform = transformer([...values("transform"), ...values("xform")]);
    this.#transform = transform ?? ((name) => name);
  }

  async run(words: string[]): Promise<ExecResult | undefined> {
    const { has, operands, value } = this.#args;
    const asked = new Set([
      ...OPERATIONS.filter(has),
      ...(["get", "diff"] as const).filter(has).flatMap((key) => ALIASES[key] ?? []),
    ]);
    const tryHelp = "Try 'tar --help' or 'tar --usage' for more information.";
    if (asked.size === 0) {
      throw new TarEnd(
        `You must specify one of the '-Acdtrux', '--delete' or '--test-label' options\n${tryHelp}`,
      );
    }
    if (asked.size > 1)
      throw new TarEnd(
        `You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option\n${tryHelp}`,
      );
    const [operation] = asked;
    const excluded = await this.#excludedPatterns();
    const isExcluded = excluder(excluded, has("excludeVcs"), has("excludeBackups"));
    if (operation === "create" || operation === "append" || operation === "update") {
      await this.#add(operation, isExcluded);
      return undefined;
    }
    if (operation === "concatenate")
      throw new TarEnd(`archives are not joined here (-A): use cat and tar -x\n${tryHelp}`);
    const bytes = await this.#archive();
    const packing = packingOf(bytes);
    if (packing !== null && packing !== "gzip" && this.#ctx.origCommand !== undefined)
      return this.#ctx.origCommand(words);
    const members = this.#membersOf(this.#unpacked(bytes));
    if (operation === "delete")
      await this.#delete(
        members,
        operands.map(({ name }) => name),
        value("file"),
      );
    else if (operation === "list") this.#list(members, isExcluded);
    else if (operation === "compare") await this.#compare(members, isExcluded);
    else await this.#extract(members, isExcluded);
    return undefined;
  }

  async #excludedPatterns(): Promise<string[]> {
    const patterns = [...this.#args.values("exclude")];
    for (const file of this.#args.values("excludeFrom")) patterns.push(...(await this.#linesOf(file, "\n")));
    return patterns;
  }

  async #linesOf(file: string, separator: string): Promise<string[]> {
    const { fs, cwd, stdin } = this.#ctx;
    try {
      const text = file === "-" ? decodeBytesToUtf8(stdin) : await fs.readFile(fs.resolvePath(cwd, file));
      return text.split(separator).filter((line) => line !== "");
    } catch (error) {
      throw new TarEnd(`${file}: Cannot open: ${reasonOf(error)}`);
    }
  }

  /** The directory that `-C` options lead to. */
  async #directory(directories: readonly string[]): Promise<string> {
    const { fs, cwd } = this.#ctx;
    let at = cwd;
    for (const directory of directories) {
      at = fs.resolvePath(at, directory);
      const entry = await lookIfThere(fs, at, true);
      if (!entry?.isDirectory) {
        throw new TarEnd(
          `${directory}: Cannot open: ${entry === null ? "No such file or directory" : "Not a directory"}`,
        );
      }
    }
    return at;
  }

  async #archive(): Promise<Uint8Array> {
    const { fs, cwd, stdin } = this.#ctx;
    const file = this.#args.value("file") ?? "-";
    if (file === "-") {
      const bytes = Buffer.from(latin1FromBytes(stdin), "latin1");
      if (packingOf(bytes) === "gzip" && !this.#isGzip())
        throw new TarEnd("Archive is compressed. Use -z option");
      return bytes;
    }
    try {
      return await fs.readFileBuffer(fs.resolvePath(cwd, file));
    } catch (error) {
      throw new TarEnd(`${file}: Cannot open: ${reasonOf(error)}`);
    }
  }

  #isGzip(): boolean {
    const { has, value } = this.#args;
    if (has("gzip") || has("gunzip") || value("program") !== undefined) return true;
    return has("autoCompress") && has("create") && /\.(t?gz|taz)$/.test(value("file") ?? "");
  }

  #unpacked(bytes: Uint8Array): Uint8Array {
    if (packingOf(bytes) !== "gzip") {
      if (!this.#isGzip() || bytes.length === 0) return bytes;
      this.#report.stderr += "\ngzip: stdin: not in gzip format\ntar: Child returned status 1\n";
      throw new TarEnd("Error is not recoverable: exiting now");
    }
    try {
      return unpackGzip(bytes);
    } catch {
      this.#report.stderr += "\ngzip: stdin: unexpected end of file\ntar: Child returned status 1\n";
      throw new TarEnd("Error is not recoverable: exiting now");
    }
  }

  *#membersOf(bytes: Uint8Array): Generator<Member> {
    try {
      yield* membersOf(bytes);
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      this.#report.fail(error.message, 2);
    }
  }

  /** The members that were asked for; what was asked for in vain is said at the end. */
  *#wanted(members: Iterable<Member>, isExcluded: (name: string) => boolean): Generator<Member> {
    const { operands, has } = this.#args;
    const isWild = has("wildcards");
    const wanted = operands.map(({ name }) => {
      const bare = name.replace(/(?<=.)\/+$/, "");
      const pattern = isWild ? patternOf(bare) : null;
      return {
        name,
        isFound: false,
        matches: (member: string): boolean =>
          member === bare || member.startsWith(`${bare}/`) || (pattern?.test(member) ?? false),
      };
    });
    for (const member of members) {
      const bare = member.name.replace(/(?<=.)\/+$/, "");
      if (isExcluded(bare)) continue;
      const found = wanted.filter((one) => one.matches(bare));
      for (const one of found) one.isFound = true;
      if (found.length > 0 || wanted.length === 0) yield member;
    }
    for (const { name, isFound } of wanted)
      if (!isFound) this.#report.fail(`${name}: Not found in archive`, 2);
  }

  #list(members: Iterable<Member>, isExcluded: (name: string) => boolean): void {
    const isLong = this.#args.has("verbose");
    for (const member of this.#wanted(members, isExcluded)) {
      const name = this.#args.has("showTransformed") ? this.#transform(member.name) : member.name;
      this.#report.print(isLong ? this.#lines.long(member, name) : `${shownName(name)}\n`);
    }
  }

  async #extract(members: Iterable<Member>, isExcluded: (name: string) => boolean): Promise<void> {
    const { has, count, value, directories } = this.#args;
    const strip = Number(value("stripComponents") ?? 0);
    if (!Number.isInteger(strip) || strip < 0)
      throw new TarEnd(`${value("stripComponents")}: Invalid number of elements`);
    let directory = await this.#directory(directories);
    if (has("oneTopLevel")) {
      const name =
        value("oneTopLevel") ??
        (value("file") ?? "").replace(/^.*\//, "").replace(/\.(tar(\.\w+)?|tgz|taz)$/, "");
      directory = this.#ctx.fs.resolvePath(directory, name);
    }
    const extractor = new Extractor(this.#ctx, this.#report, {
      directory,
      existing: has("keepOld")
        ? "fail"
        : has("skipOld")
          ? "skip"
          : has("keepNewer")
            ? "keep newer"
            : "replace",
      exactModes: has("permissions") || has("samePermissions"),
      keepTimes: !has("touch"),
      absolute: has("absoluteNames"),
    });
    const verbosity = count("verbose");
    const toStdout = has("toStdout");
    const renamed = (name: string): string | null => {
      const rest = stripped(name, strip);
      return rest === null ? null : this.#transform(rest);
    };
    for (const member of this.#wanted(members, isExcluded)) {
      const name = renamed(member.name);
      if (name === null || name === "") continue;
      const shown = has("showTransformed") ? name : member.name;
      if (verbosity > 0) {
        const line = verbosity > 1 ? this.#lines.long(member, shown) : `${shownName(shown)}\n`;
        if (toStdout) this.#report.stderr += line;
        else this.#report.print(line);
      }
      if (!toStdout) await extractor.extract(member, name, renamed(member.target) ?? member.target);
      else if (member.kind === "file")
        this.#report.printBytes(Buffer.from(member.content).toString("latin1"));
    }
    await extractor.finish();
  }

  async #compare(members: Iterable<Member>, isExcluded: (name: string) => boolean): Promise<void> {
    const directory = await this.#directory(this.#args.directories);
    for (const member of this.#wanted(members, isExcluded)) {
      if (this.#args.has("verbose")) this.#report.print(`${shownName(member.name)}\n`);
      await compareMember(this.#ctx.fs, directory, member, this.#report);
    }
  }

  async #delete(
    members: Iterable<Member>,
    names: readonly string[],
    file: string | undefined,
  ): Promise<void> {
    const kept = [...members];
    const gone = new Set<Member>(this.#wanted(kept, () => false));
    const parts = kept.filter((member) => names.length === 0 || !gone.has(member)).flatMap(encodeMember);
    await this.#write(parts, file ?? "-");
  }

  async #add(
    operation: "create" | "append" | "update",
    isExcluded: (name: string) => boolean,
  ): Promise<void> {
    const { has, value, operands, directories, count } = this.#args;
    const file = value("file") ?? "-";
    const fileLists: string[] = [];
    for (const list of this.#args.values("filesFrom"))
      fileLists.push(...(await this.#linesOf(list, has("nul") ? "\0" : "\n")));
    if (operands.length === 0 && this.#args.values("filesFrom").length === 0 && operation === "create") {
      throw new TarEnd(
        "Cowardly refusing to create an empty archive\nTry 'tar --help' or 'tar --usage' for more information.",
      );
    }
    const before: Member[] = [];
    const { fs, cwd } = this.#ctx;
    const path = file === "-" ? undefined : fs.resolvePath(cwd, file);
    if (operation !== "create" && path !== undefined && (await lookIfThere(fs, path, true)) !== null) {
      const bytes = await this.#archive();
      if (packingOf(bytes) !== null) throw new TarEnd("Cannot update compressed archives");
      before.push(...this.#membersOf(bytes));
    }
    const modeText = value("mode");
    const mode = modeText === undefined ? undefined : parseMode(modeText);
    if (mode === null) throw new TarEnd("Invalid mode given on option");
    const verbosity = count("verbose");
    const collector = new Collector(
      this.#ctx,
      this.#report,
      {
        follow: has("dereference"),
        hardLinks: !has("hardDereference"),
        recursive: !has("noRecursion"),
        absolute: has("absoluteNames"),
        isExcluded,
        transform: this.#transform,
        owner: ownerOf(value("owner")),
        group: ownerOf(value("group")),
        mode,
        mtime: await this.#mtime(),
        archivePath: path,
        newerThan:
          operation === "update" ? new Map(before.map(({ name, mtime }) => [name, mtime])) : undefined,
      },
      (member) => {
        if (verbosity === 0) return;
        const line = verbosity > 1 ? this.#lines.long(member, member.name) : `${shownName(member.name)}\n`;
        if (file === "-") this.#report.stderr += line;
        else this.#report.print(line);
      },
    );
    for (const { name, directories: above } of operands)
      await collector.add(name, await this.#directory(above));
    const last = await this.#directory(directories);
    for (const name of fileLists) await collector.add(name, last);
    await this.#write([...before, ...collector.members].flatMap(encodeMember), file);
    if (!has("removeFiles")) return;
    for (const taken of collector.taken) {
      await fs.rm(taken).catch((error: unknown) => this.#report.failed(`${taken}: Cannot unlink`, error, 2));
    }
  }

  async #mtime(): Promise<number | undefined> {
    const text = this.#args.value("mtime");
    if (text === undefined) return undefined;
    const { fs, cwd, env } = this.#ctx;
    if (/^[/.]/.test(text)) {
      const entry = await lookIfThere(fs, fs.resolvePath(cwd, text), true);
      if (entry !== null) return Math.floor(entry.mtimeMs / 1000);
    }
    const instant = parseDate(text, instantOfDate(new Date()), timeZone(env.get("TZ")));
    if (instant === null) throw new TarEnd(`Invalid --mtime: ${text}`);
    return instant.seconds;
  }

  async #write(parts: readonly Buffer[], file: string): Promise<void> {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const plain = Buffer.concat([...parts, endOfArchive(length)]);
    const bytes = this.#isGzip() ? packGzip(plain) : plain;
    if (file === "-") {
      this.#report.printBytes(Buffer.from(bytes).toString("latin1"));
      return;
    }
    const { fs, cwd } = this.#ctx;
    try {
      await fs.writeFile(fs.resolvePath(cwd, file), bytes);
    } catch (error) {
      throw new TarEnd(`${file}: Cannot open: ${reasonOf(error)}`);
    }
  }
}
