/** `patch` for unified and normal differences, as GNU patch applies them: offsets, fuzz, rejects, `-R`, `-pN`. */
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { unescapeStrayBytes } from "../../../workspace/stray-bytes.ts";
import { type GnuArguments, type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { reasonOf } from "../reason.ts";
import { type FilePatch, type PatchHunk, parsePatch } from "./patch-parse.ts";
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
  readonly #ctx: Pick<CommandContext, "cwd" | "fs">;
  readonly #options: GnuArguments<Key>;

  constructor(ctx: Pick<CommandContext, "cwd" | "fs">, options: GnuArguments<Key>) {
    this.#ctx = ctx;
    this.#options = options;
  }

  async apply(file: FilePatch, operand: string | undefined): Promise<void> {
    const { has, value } = this.#options;
    const patch = has("reverse") ? reversed(file) : file;
    const target = operand ?? (await this.#targetOf(patch));
    if (target === null) {
      this.output.fail(
        `can't find file to patch at input line ${1}\n${patch.hunks.length} out of ${patch.hunks.length} hunks ignored`,
      );
      return;
    }
    const path = this.#path(target);
    const isThere = await this.#ctx.fs.exists(path);
    const isNew =
      patch.oldName === "/dev/null" || (!isThere && patch.hunks.every(({ before }) => before.length === 0));
    if (!isThere && !isNew) {
      this.output.fail(
        `can't find file to patch at input line 1\n${patch.hunks.length} out of ${patch.hunks.length} hunks ignored`,
      );
      return;
    }
    const read = isThere
      ? await new TextInput({ ...this.#ctx, stdin: "" } as unknown as CommandContext).read(target)
      : { text: "" };
    if ("why" in read) {
      this.output.fail(`patch: **** Can't open file ${target} : ${read.why}`, 2);
      return;
    }
    if (!has("quiet")) this.output.write(`${has("dryRun") ? "checking" : "patching"} file ${target}\n`);
    const applied = applyHunks(read.text, patch.hunks, Number(value("fuzz") ?? 2));
    // All of it is there in reverse: it was applied before.
    const isDone =
      applied.failed.length === patch.hunks.length &&
      applyHunks(read.text, reversed(patch).hunks, Number(value("fuzz") ?? 2)).failed.length === 0;
    if (isDone) {
      const skipped = `${patch.hunks.length} out of ${patch.hunks.length} hunk${patch.hunks.length === 1 ? "" : "s"} ignored`;
      const what = has("reverse") ? "Unreversed" : "Reversed (or previously applied)";
      // Nobody answers: GNU's own words when there is no terminal.
      const asked = `Assume ${has("reverse") ? "reversed" : "-R"}? [n] \nApply anyway? [n] \n`;
      this.output.write(
        `${what} patch detected!  ${has("forward") || has("batch") || has("force") ? "" : asked}Skipping patch.\n${skipped}${has("dryRun") || has("forward") ? "" : ` -- saving rejects to file ${target}.rej`}\n`,
      );
      this.output.exitCode = Math.max(1, this.output.exitCode);
      if (!has("dryRun") && !has("forward"))
        await this.#write(`${target}.rej`, rejectsOf(patch, patch.hunks));
      return;
    }
    if (!has("quiet") || applied.failed.length > 0)
      for (const line of applied.said) this.output.write(`${line}\n`);
    if (applied.failed.length > 0) {
      const total = patch.hunks.length;
      const saved = has("dryRun") ? "" : ` -- saving rejects to file ${value("rejects") ?? `${target}.rej`}`;
      this.output.write(
        `${applied.failed.length} out of ${total} hunk${total === 1 ? "" : "s"} FAILED${saved}\n`,
      );
      this.output.exitCode = Math.max(1, this.output.exitCode);
    }
    if (has("dryRun")) return;
    if (applied.failed.length > 0)
      await this.#write(value("rejects") ?? `${target}.rej`, rejectsOf(patch, applied.failed));
    if (has("backup") || (applied.inexact && isThere && !has("noBackup"))) {
      await this.#write(`${target}${value("suffix") ?? ".orig"}`, read.text);
    }
    const removes = applied.text === "" && (patch.newName === "/dev/null" || has("removeEmpty"));
    if (removes) await this.#ctx.fs.rm(path, { force: true });
    else if (applied.failed.length < patch.hunks.length)
      await this.#write(value("output") ?? target, applied.text);
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

function reversed(file: FilePatch): FilePatch {
  return {
    oldName: file.newName,
    newName: file.oldName,
    hunks: file.hunks.map((hunk) => ({
      ...hunk,
      oldStart: hunk.newStart,
      newStart: hunk.oldStart,
      before: hunk.after,
      after: hunk.before,
      oldIsOpen: hunk.newIsOpen,
      newIsOpen: hunk.oldIsOpen,
    })),
  };
}

interface Applied {
  readonly text: string;
  readonly failed: readonly PatchHunk[];
  readonly said: readonly string[];
  /** Whether a hunk went in at another place, or only with fuzz. */
  readonly inexact: boolean;
}

function applyHunks(text: string, hunks: readonly PatchHunk[], maxFuzz: number): Applied {
  const lines = text.split("\n");
  let isOpen = lines[lines.length - 1] !== "";
  if (!isOpen) lines.pop();
  const failed: PatchHunk[] = [];
  const said: string[] = [];
  let inexact = false;
  let [shift, offset, floor] = [0, 0, 0];
  hunks.forEach((hunk, index) => {
    const found = place(lines, hunk, shift + offset, floor, maxFuzz);
    if (found === null) {
      failed.push(hunk);
      said.push(`Hunk #${index + 1} FAILED at ${hunk.oldStart + offset}.`);
      return;
    }
    const { at, fuzz, head, tail } = found;
    const moved = at - head - (start(hunk) + shift + offset);
    offset += moved;
    if (fuzz > 0 || moved !== 0) {
      const withFuzz = fuzz > 0 ? ` with fuzz ${fuzz}` : "";
      const away = offset === 0 ? "" : ` (offset ${offset} line${Math.abs(offset) === 1 ? "" : "s"})`;
      said.push(`Hunk #${index + 1} succeeded at ${at - head + 1}${withFuzz}${away}.`);
      inexact = true;
    }
    const old = hunk.before.slice(head, hunk.before.length - tail);
    const fresh = hunk.after.slice(head, hunk.after.length - tail);
    const reachesEnd = at + old.length === lines.length;
    lines.splice(at, old.length, ...fresh);
    if (reachesEnd && tail === 0) isOpen = fresh.length > 0 || hunk.oldIsOpen ? hunk.newIsOpen : isOpen;
    shift += fresh.length - old.length;
    floor = at + fresh.length;
  });
  const joined = lines.join("\n");
  return { text: lines.length === 0 ? "" : isOpen ? joined : `${joined}\n`, failed, said, inexact };
}

/** Where a hunk begins, from 0. */
function start({ oldStart, before }: PatchHunk): number {
  return before.length === 0 ? oldStart : oldStart - 1;
}

/** The place nearest to the one that the hunk names, with as little fuzz as possible. */
function place(
  lines: readonly string[],
  hunk: PatchHunk,
  shift: number,
  floor: number,
  maxFuzz: number,
): { at: number; fuzz: number; head: number; tail: number } | null {
  const wanted = start(hunk) + shift;
  if (hunk.before.length === 0)
    return wanted <= lines.length ? { at: Math.max(wanted, floor), fuzz: 0, head: 0, tail: 0 } : null;
  const context = Math.max(hunk.leading, hunk.trailing);
  for (let fuzz = 0; fuzz <= Math.min(maxFuzz, context); fuzz++) {
    const head = Math.max(0, fuzz - (context - hunk.leading));
    const tail = Math.max(0, fuzz - (context - hunk.trailing));
    const old = hunk.before.slice(head, hunk.before.length - tail);
    // Less context on one side than on the other means that the file begins or ends there.
    const atStart = fuzz < context - hunk.leading && hunk.oldStart <= 1;
    const atEnd = fuzz < context - hunk.trailing;
    const fits = (at: number): boolean =>
      (!atStart || at === 0) &&
      (!atEnd || at + old.length === lines.length) &&
      at >= floor &&
      at + old.length <= lines.length &&
      old.every((line, index) => lines[at + index] === line);
    for (let away = 0; away <= lines.length; away++) {
      for (const at of away === 0 ? [wanted + head] : [wanted + head + away, wanted + head - away]) {
        if (fits(at)) return { at, fuzz, head, tail };
      }
    }
  }
  return null;
}

function rejectsOf({ oldName, newName }: FilePatch, hunks: readonly PatchHunk[]): string {
  const range = (at: number, count: number): string => (count === 1 ? String(at) : `${at},${count}`);
  const body = hunks.map(({ oldStart, newStart, before, after, leading, trailing }) => {
    const shared = before.slice(0, leading).map((line) => ` ${line}\n`);
    const removed = before.slice(leading, before.length - trailing).map((line) => `-${line}\n`);
    const added = after.slice(leading, after.length - trailing).map((line) => `+${line}\n`);
    const rest = trailing === 0 ? [] : before.slice(-trailing).map((line) => ` ${line}\n`);
    const header = `@@ -${range(oldStart, before.length)} +${range(newStart, after.length)} @@\n`;
    return header + [...shared, ...removed, ...added, ...rest].join("");
  });
  return `--- ${oldName ?? "old"}\n+++ ${newName ?? "new"}\n${body.join("")}`;
}
