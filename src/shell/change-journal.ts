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
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  truncateSync,
  writeSync,
} from "node:fs";
import nodePath from "node:path";
import { SandboxError } from "../shared/errors.ts";
import type { HarnessMount } from "../shared/workspace-spec.ts";
import type { TreeEntry } from "../workspace/tree-entry.ts";
import type { StampedFileEvent } from "./event-stream.ts";

/** What stood at a path. */
type State = readonly [path: string, before: TreeEntry | null];

type Line =
  | { readonly touch: string; readonly paths: readonly string[]; readonly states: readonly State[] }
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

  /** Throws `OPTION_INVALID` when the file lies where a script could reach it. */
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
  }

  /** What an earlier host left behind. When a whole line cannot be read, the file is set aside, and this throws. */
  readInterrupted(): Interrupted[] {
    let bytes: Buffer;
    try {
      bytes = readFileSync(this.#file);
    } catch {
      return []; // the first time
    }
    // What comes behind the last end of a line was not written to its end.
    const whole = bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
    try {
      const found = readLines(whole.toString().split("\n").slice(0, -1));
      const length = found.length === 0 ? 0 : whole.length;
      if (length < bytes.length) truncateSync(this.#file, length);
      this.#isEmpty = length === 0;
      for (const { id } of found) this.#open.add(id);
      return found;
    } catch (thrown) {
      renameSync(this.#file, `${this.#file}.damaged`);
      throw thrown;
    }
  }

  /** Before paths are changed. */
  touch(id: string, paths: readonly string[], states: Iterable<readonly [string, TreeEntry]>): void {
    this.#open.add(id);
    this.#write({ touch: id, paths, states: [...states] });
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
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  }

  #descriptor(): number {
    this.#fd ??= openSync(this.#file, "a", 0o600);
    return this.#fd;
  }
}

function readLines(lines: readonly string[]): Interrupted[] {
  const found = new Map<string, Interrupted>();
  for (const [index, json] of lines.entries()) {
    const line = parse(json, index);
    if ("told" in line) {
      found.delete(line.told);
      continue;
    }
    const id = "touch" in line ? line.touch : line.end;
    const command: Interrupted = found.get(id) ?? { id, paths: new Set(), before: new Map() };
    found.set(id, command);
    if ("end" in line) command.events = line.events;
    else {
      for (const [path, before] of line.states) {
        const isKnown = [...command.paths].some((above) => path === above || path.startsWith(`${above}/`));
        if (!isKnown && before !== null) command.before.set(path, before);
      }
      for (const path of line.paths) command.paths.add(path);
    }
  }
  return [...found.values()];
}

function parse(json: string, index: number): Line {
  try {
    const line = JSON.parse(json) as Line;
    if ("told" in line || "end" in line || "touch" in line) return line;
  } catch {
    // Told below, with its place.
  }
  throw new Error(`line ${index + 1} of the change journal cannot be read`);
}

function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return nodePath.resolve(path); // not there yet
  }
}
