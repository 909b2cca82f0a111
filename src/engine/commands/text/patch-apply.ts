/** How hunks go into a text: at their place, away from it, or with less of their context (fuzz). */
import type { FilePatch, PatchHunk } from "./patch-parse.ts";

/** The patch that takes this one back. */
export function reversed(file: FilePatch): FilePatch {
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

/** A text with the hunks that went in. */
export interface Applied {
  readonly text: string;
  readonly failed: readonly PatchHunk[];
  readonly said: readonly string[];
  /** Whether a hunk went in at another place, or only with fuzz. */
  readonly inexact: boolean;
}

/** Applies each hunk where it fits nearest to the place that it names. */
export function applyHunks(text: string, hunks: readonly PatchHunk[], maxFuzz: number): Applied {
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

/** The hunks as a file of rejects. */
export function rejectsOf({ oldName, newName }: FilePatch, hunks: readonly PatchHunk[]): string {
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
