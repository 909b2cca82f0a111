/** `patch` for unified and normal differences, as GNU patch applies them: offsets, fuzz, rejects, `-R`, `-pN`. */
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { unescapeStrayBytes } from "../../../workspace/stray-bytes.ts";
import { type GnuArguments, type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { reasonOf } from "../reason.ts";
import { type Applied, applyHunks, rejectsOf, reversed } from "./patch-apply.ts";
import { type FilePatch, parsePatch } from "./patch-parse.ts";
import { Output, TextInput } from "./text-input.ts";

type Key =
  | "strip"
  | "reverse"
  | "forward"
  | "input"
  | "output"
  | "directory"
  | "dryRun"
  | "backup"
  | "fuzz"
  | "quiet"
  | "force"
  | "batch"
  | "removeEmpty"
  | "rejects"
  | "unified"
  | "normal"
  | "suffix"
  | "noBackup"
  | "binary"
  | "verbose";

const program: GnuProgram<Key> = {
  name: "patch",
  options: {
    strip: { short: "p", long: "strip", value: "required" },
    reverse: { short: "R", long: "reverse" },
    forward: { short: "N", long: "forward" },
    input: { short: "i", long: "input", value: "required" },
    output: { short: "o", long: "output", value: "required" },
    directory: { short: "d", long: "directory", value: "required" },
    dryRun: { long: "dry-run" },
    backup: { short: "b", long: "backup" },
    fuzz: { short: "F", long: "fuzz", value: "required" },
    quiet: { short: "s", long: "quiet" },
    force: { short: "f", long: "force" },
    batch: { short: "t", long: "batch" },
    removeEmpty: { short: "E", long: "remove-empty-files" },
    rejects: { short: "r", long: "reject-file", value: "required" },
    unified: { short: "u", long: "unified" },
    normal: { short: "n", long: "normal" },
    suffix: { short: "z", long: "suffix", value: "required" },
    noBackup: { long: "no-backup-if-mismatch" },
    binary: { long: "binary" },
    verbose: { long: "verbose" },
  },
  compatibleWith: "GNU patch 2.7.6",
  usageStatus: 2,
  help: `Usage: patch [OPTION]... [ORIGFILE [PATCHFILE]]

  -p NUM  --strip=NUM       strip NUM leading components from file names
  -F LINES  --fuzz LINES    set the fuzz factor to LINES for inexact matching
  -u  --unified, -n  --normal  taken: the form is read off the patch
  -N  --forward             ignore patches that appear to be reversed or already applied
  -R  --reverse             assume patches were created with old and new files swapped
  -i PATCHFILE  --input=PATCHFILE  read patch from PATCHFILE instead of stdin
  -o FILE  --output=FILE    output patched files to FILE
  -r FILE  --reject-file=FILE  output rejects to FILE
  -E  --remove-empty-files  remove output files that are empty after patching
  -b  --backup              back up the original contents of each file
  -z SUFFIX  --suffix=SUFFIX  append SUFFIX to backup file names
  -d DIR  --directory=DIR   change the working directory to DIR first
      --dry-run             do not actually change any files
  -s  --quiet  --silent     work silently unless an error occurs
  -f  --force, -t  --batch  ask no questions; nothing is ever asked here
      --help                output this help
      --version             output version info
`,
};

export const patch: Command = defineCommand("patch", async (args, ctx) => {
  const parsed = parseGnuOptions(
    program,
    args.map((arg) => (arg === "--silent" ? "--quiet" : arg)),
  );
  if (!parsed.ok) return { ...parsed.result, stderr: parsed.result.stderr.replace("\nTry", "\npatch: Try") };
  const { operands, value } = parsed.args;
  const [original, patchFile] = operands;
  const read = await new TextInput(ctx).read(value("input") ?? patchFile ?? "-");
  const trouble = (why: string): ExecResult => ({ stdout: "", stderr: `patch: **** ${why}\n`, exitCode: 2 });
  if ("why" in read) return trouble(`Can't open patch file ${value("input") ?? patchFile} : ${read.why}`);
  const patches = parsePatch(read.text);
  if ("badLine" in patches) return trouble(`malformed patch at line ${patches.badLine}: `.trimEnd());
  if (patches.length === 0) {
    return read.text === ""
      ? { stdout: "", stderr: "", exitCode: 0 }
      : trouble("Only garbage was found in the patch input.");
  }
  const directory = value("directory");
  const cwd = directory === undefined ? ctx.cwd : ctx.fs.resolvePath(ctx.cwd, directory);
  const run = new PatchRun({ ...ctx, cwd }, parsed.args);
  for (const file of patches) await run.apply(file, original);
  return run.output.result();
});

class PatchRun {
  readonly output = new Output();
  readonly #ctx: CommandContext;
  readonly #options: GnuArguments<Key>;

  constructor(ctx: CommandContext, options: GnuArguments<Key>) {
    this.#ctx = ctx;
    this.#options = options;
  }

  async apply(file: FilePatch, operand: string | undefined): Promise<void> {
    const { has } = this.#options;
    const patch = has("reverse") ? reversed(file) : file;
    const total = patch.hunks.length;
    const target = operand ?? (await this.#targetOf(patch));
    const isThere = target !== null && (await this.#ctx.fs.exists(this.#path(target)));
    const isNew = patch.oldName === "/dev/null" || patch.hunks.every(({ before }) => before.length === 0);
    if (target === null || (!isThere && !isNew)) {
      this.output.fail(`can't find file to patch at input line 1\n${total} out of ${total} hunks ignored`);
      return;
    }
    // By its path: a file may be called `-`.
    const read = isThere ? await new TextInput(this.#ctx).read(this.#path(target)) : { text: "" };
    if ("why" in read) {
      this.output.fail(`patch: **** Can't open file ${target} : ${read.why}`, 2);
      return;
    }
    if (!has("quiet")) this.output.write(`${has("dryRun") ? "checking" : "patching"} file ${target}\n`);
    const fuzz = Number(this.#options.value("fuzz") ?? 2);
    const applied = applyHunks(read.text, patch.hunks, fuzz);
    // All of it is there in reverse: it was applied before.
    const isDone =
      applied.failed.length === total &&
      applyHunks(read.text, reversed(patch).hunks, fuzz).failed.length === 0;
    if (isDone) await this.#skip(patch, target);
    else {
      this.#tell(applied, total, target);
      if (!has("dryRun")) await this.#keep(patch, target, applied, isThere ? read.text : null);
    }
  }

  async #skip(patch: FilePatch, target: string): Promise<void> {
    const { has } = this.#options;
    const isSaved = !has("dryRun") && !has("forward");
    // Nobody answers: GNU's own words when there is no terminal.
    const asked = `Assume ${has("reverse") ? "reversed" : "-R"}? [n] \nApply anyway? [n] \n`;
    const what = has("reverse") ? "Unreversed" : "Reversed (or previously applied)";
    this.output.write(
      `${what} patch detected!  ${has("forward") || has("batch") || has("force") ? "" : asked}Skipping patch.\n` +
        `${outOf(patch.hunks.length, patch.hunks.length)} ignored${isSaved ? ` -- saving rejects to file ${target}.rej` : ""}\n`,
    );
    this.output.exitCode = Math.max(1, this.output.exitCode);
    if (isSaved) await this.#write(`${target}.rej`, rejectsOf(patch, patch.hunks));
  }

  /** Which hunks went in elsewhere, and which did not. */
  #tell({ said, failed }: Applied, total: number, target: string): void {
    const { has } = this.#options;
    if (!has("quiet") || failed.length > 0) for (const line of said) this.output.write(`${line}\n`);
    if (failed.length === 0) return;
    const saved = has("dryRun") ? "" : ` -- saving rejects to file ${this.#rejectsFile(target)}`;
    this.output.write(`${outOf(failed.length, total)} FAILED${saved}\n`);
    this.output.exitCode = Math.max(1, this.output.exitCode);
  }

  /** Writes what came out. `before` is the old text; null for a file that the patch creates. */
  async #keep(patch: FilePatch, target: string, applied: Applied, before: string | null): Promise<void> {
    const { has, value } = this.#options;
    const { text, failed, inexact } = applied;
    if (failed.length > 0) await this.#write(this.#rejectsFile(target), rejectsOf(patch, failed));
    if (has("backup") || (inexact && before !== null && !has("noBackup")))
      await this.#write(`${target}${value("suffix") ?? ".orig"}`, before ?? "");
    if (text === "" && (patch.newName === "/dev/null" || has("removeEmpty")))
      await this.#ctx.fs.rm(this.#path(target), { force: true });
    else if (failed.length < patch.hunks.length) await this.#write(value("output") ?? target, text);
  }

  #rejectsFile(target: string): string {
    return this.#options.value("rejects") ?? `${target}.rej`;
  }

  #path(name: string): string {
    return this.#ctx.fs.resolvePath(this.#ctx.cwd, name);
  }

  async #write(name: string, text: string): Promise<void> {
    const path = this.#path(name);
    try {
      const parent = path.replace(/\/[^/]*$/, "");
      if (parent !== "" && !(await this.#ctx.fs.exists(parent)))
        await this.#ctx.fs.mkdir(parent, { recursive: true });
      await this.#ctx.fs.writeFile(path, unescapeStrayBytes(text));
    } catch (error) {
      this.output.fail(`patch: **** Can't create file ${name} : ${reasonOf(error)}`, 2);
    }
  }

  /** The name of the two that exists, stripped; the new one for a file that the patch creates. */
  async #targetOf({ oldName, newName }: FilePatch): Promise<string | null> {
    const strip = this.#options.value("strip");
    const stripped = (name: string | null): string | null => {
      if (name === null || name === "/dev/null") return null;
      if (strip === undefined) return name.replace(/^.*\//s, "");
      const parts = name.split(/\/+/);
      return parts.length > Number(strip) ? parts.slice(Number(strip)).join("/") : null;
    };
    const names = [stripped(oldName), stripped(newName)].filter((name) => name !== null);
    for (const name of names) if (await this.#ctx.fs.exists(this.#path(name))) return name;
    return names[names.length - 1] ?? null;
  }
}

function outOf(count: number, total: number): string {
  return `${count} out of ${total} hunk${total === 1 ? "" : "s"}`;
}
