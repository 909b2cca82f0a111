import { Buffer } from "node:buffer";
import { type Command, type CommandContext, decodeBytesToUtf8, defineCommand } from "just-bash";
import { escapeStrayBytes } from "../../../../workspace/stray-bytes.ts";
import { formatTime } from "../format-time.ts";
import { baseName, lookIfThere, UMASK } from "../look.ts";
import { patternOf } from "../name-match.ts";
import { Report } from "../report.ts";
import { type TimeZone, timeZone } from "../time-zone.ts";
import { isFolder, isLink, percentSaved, readZip, unpack, type ZipEntry } from "./archive.ts";

const USAGE = `UnZip (compatible with Info-ZIP 6.00)

Usage: unzip [-opts] file[.zip] [list] [-x xlist] [-d exdir]

  -p  extract files to pipe, no messages     -l  list files (short format)
  -f  freshen existing files, create none    -t  test compressed archive data
  -u  update files, create if necessary      -v  list verbosely
  -x  exclude files that follow (in xlist)   -d  extract files into exdir
  -n  never overwrite existing files         -q  quiet mode (-qq => quieter)
  -o  overwrite files WITHOUT prompting      -j  junk paths
  -c  extract files to standard output       -C  match filenames case-insensitively
  -Z1 names alone                            -L  make names lowercase
`;

/** `unzip` as Info-ZIP has it. The engine has none. */
export const unzip: Command = defineCommand("unzip", async (args, ctx) => {
  if (args[0] === "--help" || args[0] === "-h") return { stdout: USAGE, stderr: "", exitCode: 0 };
  const report = new Report("unzip");
  const letters: string[] = [];
  const names: string[] = [];
  const excluded: string[] = [];
  let directory: string | undefined;
  let isExcluding = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "-d" || (arg.startsWith("-d") && arg.length > 2)) {
      directory = arg === "-d" ? args[++at] : arg.slice(2);
      if (directory === undefined) {
        report.stderr += "error:  must specify directory to which to extract with -d option\n";
        report.exitCode = 10;
        return report.result();
      }
    } else if (arg === "-x") isExcluding = true;
    else if (arg.startsWith("-") && arg !== "-") {
      if (/^-[fupjnoqCLvltcaXKUMZ1bWD:]*x?$/.test(arg)) letters.push(...arg.slice(1));
      else return { stdout: "", stderr: USAGE, exitCode: 10 };
      isExcluding ||= arg.endsWith("x");
    } else (isExcluding ? excluded : names).push(arg);
  }
  const [archive, ...members] = names;
  if (archive === undefined) return { stdout: USAGE, stderr: "", exitCode: args.length === 0 ? 0 : 10 };
  const candidates = [archive, `${archive}.zip`, `${archive}.ZIP`];
  let bytes: Uint8Array | undefined;
  let shown = archive;
  for (const name of candidates) {
    const path = ctx.fs.resolvePath(ctx.cwd, name);
    if ((await lookIfThere(ctx.fs, path, true))?.isFile !== true) continue;
    shown = name;
    bytes = await ctx.fs.readFileBuffer(path).catch(() => undefined);
    break;
  }
  if (bytes === undefined) {
    report.stderr += `unzip:  cannot find or open ${archive}, ${archive}.zip or ${archive}.ZIP.\n`;
    report.exitCode = 9;
    return report.result();
  }
  const has = (letter: string): boolean => letters.includes(letter);
  const isQuiet = has("q") || has("p");
  if (!isQuiet && !has("Z")) report.print(`Archive:  ${shown}\n`);
  const entries = readZip(bytes);
  if (entries === null) {
    report.stderr += `  End-of-central-directory signature not found.  Either this file is not
  a zipfile, or it constitutes one disk of a multi-part archive.  In the
  latter case the central directory and zipfile comment will be found on
  the last disk(s) of this archive.
unzip:  cannot find zipfile directory in one of ${shown} or
        ${shown}.zip, and cannot find ${shown}.ZIP, period.
`;
    report.exitCode = 9;
    return report.result();
  }
  const wanted = members.map((name) => ({ name, pattern: patternOf(name, has("C")), isFound: false }));
  const unwanted = excluded.map((name) => patternOf(name, has("C")));
  const chosen = entries.filter(({ name }) => {
    if (unwanted.some((pattern) => pattern.test(name))) return false;
    const found = wanted.filter(({ pattern }) => pattern.test(name));
    for (const one of found) one.isFound = true;
    return wanted.length === 0 || found.length > 0;
  });
  const zone = timeZone(ctx.env.get("TZ"));
  if (has("Z")) report.print(chosen.map(({ name }) => `${name}\n`).join(""));
  else if (has("l")) list(chosen, report, zone, letters.filter((letter) => letter === "q").length);
  else if (has("v")) listVerbosely(chosen, report, zone);
  else if (has("t")) test(chosen, report, shown, has("q"));
  else
    await new Unzipper(
      ctx,
      report,
      letters,
      ctx.fs.resolvePath(ctx.cwd, directory ?? "."),
      directory,
    ).extract(chosen);
  for (const { name, isFound } of wanted) {
    if (isFound) continue;
    report.stderr += `caution: filename not matched:  ${name}\n`;
    report.exitCode = Math.max(report.exitCode, 11);
  }
  return report.result();
});

function stamp(seconds: number, zone: TimeZone): string {
  return formatTime("%Y-%m-%d %H:%M", { seconds, nanoseconds: 0 }, zone);
}

function list(entries: readonly ZipEntry[], report: Report, zone: TimeZone, quiet: number): void {
  if (quiet < 2) report.print("  Length      Date    Time    Name\n---------  ---------- -----   ----\n");
  for (const { size, mtime, name } of entries)
    report.print(`${String(size).padStart(9)}  ${stamp(mtime, zone)}   ${name}\n`);
  if (quiet > 1) return;
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  const files = `${entries.length} file${entries.length === 1 ? "" : "s"}`;
  report.print(
    `---------                     -------\n${String(total).padStart(9)}                     ${files}\n`,
  );
}

function listVerbosely(entries: readonly ZipEntry[], report: Report, zone: TimeZone): void {
  report.print(" Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n");
  report.print("--------  ------  ------- ---- ---------- ----- --------  ----\n");
  const percent = (size: number, packed: number): string => `${percentSaved(size, packed)}%`.padStart(4);
  let [total, packedTotal] = [0, 0];
  for (const { size, packed, method, mtime, crc, name } of entries) {
    total += size;
    packedTotal += packed.length;
    const how = method === 8 ? "Defl:N" : "Stored";
    const sizes = `${String(size).padStart(8)}  ${how} ${String(packed.length).padStart(8)} ${percent(size, packed.length)}`;
    report.print(`${sizes} ${stamp(mtime, zone)} ${crc.toString(16).padStart(8, "0")}  ${name}\n`);
  }
  const files = `${entries.length} file${entries.length === 1 ? "" : "s"}`;
  report.print("--------          -------  ---                            -------\n");
  report.print(
    `${String(total).padStart(8)}         ${String(packedTotal).padStart(8)} ${percent(total, packedTotal)}                            ${files}\n`,
  );
}

function test(entries: readonly ZipEntry[], report: Report, shown: string, isQuiet: boolean): void {
  let bad = 0;
  for (const entry of entries) {
    const isGood = unpack(entry) !== null;
    if (!isGood) bad++;
    if (!isQuiet || !isGood)
      report.print(`    testing: ${entry.name.padEnd(22)}   ${isGood ? "OK" : "bad CRC"}\n`);
  }
  if (bad === 0) report.print(`No errors detected in compressed data of ${shown}.\n`);
  else {
    report.print(`At least one error was detected in ${shown}.\n`);
    report.exitCode = 2;
  }
}

class Unzipper {
  readonly #ctx: CommandContext;
  readonly #report: Report;
  readonly #letters: readonly string[];
  readonly #directory: string;
  readonly #prefix: string;
  readonly #answers: string[];
  #always: "all" | "none" | undefined;

  constructor(
    ctx: CommandContext,
    report: Report,
    letters: readonly string[],
    directory: string,
    shown: string | undefined,
  ) {
    this.#ctx = ctx;
    this.#report = report;
    this.#letters = letters;
    this.#directory = directory;
    this.#prefix = shown === undefined ? "" : `${shown.replace(/\/+$/, "")}/`;
    this.#answers = decodeBytesToUtf8(ctx.stdin)
      .split("\n")
      .filter((line) => line !== "");
    this.#always = this.#has("o") ? "all" : this.#has("n") ? "none" : undefined;
  }

  #has(letter: string): boolean {
    return this.#letters.includes(letter);
  }

  #say(line: string): void {
    if (!this.#has("q")) this.#report.print(line);
  }

  async extract(entries: readonly ZipEntry[]): Promise<void> {
    const links: { shown: string; path: string; target: string }[] = [];
    for (const entry of entries) {
      if (this.#has("p") || this.#has("c")) this.#print(entry);
      else await this.#extractOne(entry, links);
    }
    if (links.length === 0) return;
    this.#say("finishing deferred symbolic links:\n");
    for (const { shown, path, target } of links) {
      this.#say(`  ${shown.padEnd(22)} -> ${target}\n`);
      try {
        await this.#ctx.fs.symlink(target, path);
      } catch (error) {
        this.#report.failed(`symlink error: ${shown}`, error, 1);
      }
    }
  }

  #print(entry: ZipEntry): void {
    if (isFolder(entry)) return;
    const content = this.#contentOf(entry);
    if (content === null) return;
    if (this.#has("c"))
      this.#say(`${entry.method === 8 ? "  inflating" : " extracting"}: ${entry.name.padEnd(22)}  \n`);
    this.#report.printBytes(Buffer.from(content).toString("latin1"));
    if (this.#has("c")) this.#say("\n");
  }

  #contentOf(entry: ZipEntry): Uint8Array | null {
    const content = unpack(entry);
    if (content !== null) return content;
    if (entry.isEncrypted) {
      this.#report.stderr += `   skipping: ${entry.name.padEnd(22)}  unable to get password\n`;
      this.#report.exitCode = 82;
    } else if (entry.method !== 0 && entry.method !== 8) {
      this.#report.stderr += `   skipping: ${entry.name.padEnd(22)}  unsupported compression method ${entry.method}\n`;
      this.#report.exitCode = 81;
    } else {
      this.#report.stderr += `  error:  invalid compressed data to inflate ${entry.name}\n`;
      this.#report.exitCode = 2;
    }
    return null;
  }

  async #extractOne(
    entry: ZipEntry,
    links: { shown: string; path: string; target: string }[],
  ): Promise<void> {
    const { fs } = this.#ctx;
    // No name leads out of the directory, whatever the archive says.
    const parts = entry.name.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
    const below = this.#has("j") ? baseName(entry.name) : parts.join("/");
    const name = this.#has("L") ? below.toLowerCase() : below;
    if (name === "" || (this.#has("j") && isFolder(entry))) return;
    const path = fs.resolvePath(this.#directory, name);
    const shown = `${this.#prefix}${name}`;
    try {
      if (isFolder(entry)) {
        if ((await lookIfThere(fs, path, true))?.isDirectory) return;
        await fs.mkdir(path, { recursive: true });
        this.#say(`   creating: ${shown}/\n`);
        if (entry.mode !== 0) await fs.chmod(path, entry.mode & 0o777 & ~UMASK);
        return;
      }
      const there = await lookIfThere(fs, path, false);
      if (there !== null) {
        const isOlder = there.mtimeMs / 1000 >= entry.mtime;
        if ((this.#has("u") || this.#has("f")) && isOlder) return;
        if (!this.#mayReplace(shown)) return;
        if (there.isSymbolicLink) await fs.rm(path);
      } else if (this.#has("f")) return;
      const content = this.#contentOf(entry);
      if (content === null) return;
      await fs.mkdir(fs.resolvePath(path, ".."), { recursive: true });
      if (isLink(entry)) {
        const target = escapeStrayBytes(content);
        if (there !== null && !there.isSymbolicLink) await fs.rm(path);
        this.#say(`    linking: ${shown.padEnd(22)}  -> ${target} \n`);
        links.push({ shown, path, target });
        return;
      }
      await fs.writeFile(path, content);
      this.#say(`${entry.method === 8 ? "  inflating" : " extracting"}: ${shown.padEnd(22)}  \n`);
      if (entry.mode !== 0) await fs.chmod(path, entry.mode & 0o777 & ~UMASK);
      await fs.utimes(path, new Date(), new Date(entry.mtime * 1000));
    } catch (error) {
      this.#report.failed(`error:  cannot create ${shown}`, error, 50);
    }
  }

  #mayReplace(shown: string): boolean {
    if (this.#always !== undefined) return this.#always === "all";
    this.#report.stderr += `replace ${shown}? [y]es, [n]o, [A]ll, [N]one, [r]ename: `;
    const answer = this.#answers.shift();
    if (answer === undefined) {
      this.#report.stderr += ' NULL\n(EOF or read error, treating as "[N]one" ...)\n';
      this.#report.exitCode = Math.max(this.#report.exitCode, 1);
    }
    if (answer?.startsWith("A")) this.#always = "all";
    if (answer === undefined || answer.startsWith("N")) this.#always = "none";
    return /^[yA]/.test(answer ?? "");
  }
}
