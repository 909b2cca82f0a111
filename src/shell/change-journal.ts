/**
 * What is needed to tell the changes of a command whose host died before it could: a file that holds, for the
 * commands under way, what stood at each path before it was changed, and the events that are about to be told.
 * Written before what it speaks of happens. It survives the death of the process, not that of the machine: nothing
 * is synced. Emptied whenever no command is under way.
 *
 * One JSON value a line; a last line without its end is as good as not written.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import nodePath from "node:path";
import { SandboxError } from "../shared/errors.ts";
import { tellThrown } from "../shared/redact.ts";
import { parentOfVirtualPath } from "../shared/virtual-path.ts";
import type { HarnessMount } from "../shared/workspace-spec.ts";
import type { TreeEntry } from "../workspace/tree-entry.ts";
import type { StampedFileEvent } from "./event-stream.ts";

/** What stood at a path. */
type State = readonly [path: string, before: TreeEntry | null];

type Line =
  | { readonly touch: string; readonly paths: readonly string[]; readonly states: readonly State[] }
  | { readonly moved: string; readonly states: readonly State[] }
  | { readonly end: string; readonly events: readonly StampedFileEvent[] }
  | { readonly told: string };

/** A command, or a call of `sandbox.fs`, that was under way when its host died. */
export interface Interrupted {
  readonly id: string;
  /** Paths that it had named, each for all below it. */
  readonly paths: Set<string>;
  /** What stood there before. */
  readonly before: Map<string, TreeEntry>;
  /** Its events, if all that was left was to tell them. */
  events?: readonly StampedFileEvent[];
}

/** One per sandbox. */
export class ChangeJournal {
  readonly #file: string;
  #fd: number | undefined;
  readonly #open = new Set<string>();
  #isEmpty = true;

  /** Throws `OPTION_INVALID` when the file lies where a script could reach it, or cannot be written. */
  constructor(file: string, mounts: readonly HarnessMount[]) {
    this.#file = nodePath.resolve(file);
    const directory = toRealPath(nodePath.dirname(this.#file));
    for (const { path, backingPath } of mounts) {
      const way = nodePath.relative(toRealPath(backingPath), directory);
      if (way.startsWith("..") || nodePath.isAbsolute(way)) continue;
      throw new SandboxError(
        "OPTION_INVALID",
        `changeJournal must be a file outside of the mounts, not in ${path}.`,
        { option: "changeJournal" },
      );
    }
    try {
      this.#descriptor();
    } catch (cause) {
      const why = `changeJournal must be a file that can be written: ${tellThrown(cause)}`;
      throw new SandboxError("OPTION_INVALID", why, { option: "changeJournal" }, { cause });
    }
  }

  /**
   * What an earlier host left behind. When a whole line cannot be read, the file is copied aside, and what stands
   * before that line is told. Throws when the file cannot be read at all.
   */
  readInterrupted(): { readonly found: readonly Interrupted[]; readonly problem?: string } {
    const bytes = readFileSync(this.#file);
    // What comes behind the last end of a line was not written to its end.
    const whole = bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
    const { found, badLine } = readLines(whole.toString().split("\n").slice(0, -1));
    if (badLine !== undefined) writeFileSync(`${this.#file}.damaged`, bytes, { mode: 0o600 });
    this.#open.clear();
    for (const { id } of found) this.#open.add(id);
    this.#isEmpty = found.length === 0;
    truncateSync(this.#file, this.#isEmpty || badLine !== undefined ? 0 : whole.length);
    return {
      found,
      ...(badLine !== undefined && { problem: `line ${badLine} of the change journal cannot be read` }),
    };
  }

  /** Before paths are changed. */
  touch(id: string, paths: readonly string[], states: Iterable<readonly [string, TreeEntry]>): void {
    this.#open.add(id);
    this.#write({ touch: id, paths, states: [...states] });
  }

  /** Before a command's changes are told, while another is under way that may have named the same paths. */
  moved(id: string, states: readonly State[]): void {
    if (states.length > 0) this.#write({ moved: id, states });
  }

  /** Before a command's changes are told. */
  end(id: string, events: readonly StampedFileEvent[]): void {
    if (this.#open.has(id) || events.length > 0) this.#write({ end: id, events });
    this.#open.add(id);
  }

  /** After they were. */
  told(id: string): void {
    this.#open.delete(id);
    if (this.#isEmpty) return;
    if (this.#open.size > 0) this.#write({ told: id });
    else {
      ftruncateSync(this.#descriptor(), 0);
      this.#isEmpty = true;
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #write(line: Line): void {
    this.#isEmpty = false;
    const fd = this.#descriptor();
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    const start = fstatSync(fd).size;
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } catch (thrown) {
      // Half a line would spoil the next one.
      ftruncateSync(fd, start);
      throw thrown;
    }
  }

  #descriptor(): number {
    this.#fd ??= openSync(this.#file, "a", 0o600);
    return this.#fd;
  }
}

/** Up to the first line that cannot be read; lines are counted from 1. */
function readLines(lines: readonly string[]): { found: Interrupted[]; badLine?: number } {
  const found = new Map<string, Interrupted>();
  for (const [index, json] of lines.entries()) {
    const line = parse(json);
    if (line === undefined) return { found: [...found.values()], badLine: index + 1 };
    if ("told" in line) {
      found.delete(line.told);
      continue;
    }
    if ("moved" in line) {
      for (const command of found.values()) {
        if (command.id !== line.moved) moveOn(command, line.states);
      }
      continue;
    }
    const id = "touch" in line ? line.touch : line.end;
    const command: Interrupted = found.get(id) ?? { id, paths: new Set(), before: new Map() };
    found.set(id, command);
    if ("end" in line) command.events = line.events;
    else {
      for (const [path, before] of line.states) {
        if (before !== null && !isNamed(command, path)) command.before.set(path, before);
      }
      for (const path of line.paths) command.paths.add(path);
    }
  }
  return { found: [...found.values()] };
}

function moveOn(command: Interrupted, states: readonly State[]): void {
  for (const [path, before] of states) {
    if (!isNamed(command, path)) continue;
    if (before === null) command.before.delete(path);
    else command.before.set(path, before);
  }
}

function isNamed({ paths }: Interrupted, path: string): boolean {
  for (let at = path; ; at = parentOfVirtualPath(at)) {
    if (paths.has(at)) return true;
    if (at === "/") return false;
  }
}

function parse(json: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(json);
    if (typeof line !== "object" || line === null) return undefined;
    const isKnown = ["told", "end", "touch", "moved"].some((key) => key in line);
    return isKnown ? (line as Line) : undefined;
  } catch {
    return undefined; // told by its number
  }
}

function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return nodePath.resolve(path); // not there yet
  }
}
