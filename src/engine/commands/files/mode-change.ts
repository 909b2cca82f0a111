/** Modes as `chmod`, `mkdir -m` and `find -perm` take them: `644`, `u+rwX,go-w`. */
import { UMASK } from "./look.ts";

/** A mode → the mode that it becomes. */
export type ModeChange = (mode: number, isDirectory: boolean) => number;

const CLAUSE = /^([ugoa]*)((?:[-+=](?:[0-7]+|[ugo]|[rwxXst]*))+)$/;
const WHO: Readonly<Record<string, number>> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 };
const RIGHTS: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111, s: 0o6000, t: 0o1000 };

/** `null` for what is no mode. */
export function parseMode(text: string): ModeChange | null {
  if (/^[0-7]+$/.test(text)) {
    const bits = Number.parseInt(text, 8);
    if (bits > 0o7777) return null;
    // A short number leaves the set-id bits of a directory alone.
    return (mode, isDirectory) => (isDirectory && text.length < 5 ? bits | (mode & 0o6000) : bits);
  }
  const steps: ModeChange[] = [];
  for (const clause of text.split(",")) {
    const [, who = "", actions] = CLAUSE.exec(clause) ?? [];
    if (actions === undefined) return null;
    for (const [, sign = "", what = ""] of actions.matchAll(/([-+=])([0-7]+|[ugo]|[rwxXst]*)/g)) {
      steps.push(step(who, sign, what));
    }
  }
  return (mode, isDirectory) => steps.reduce((now, change) => change(now, isDirectory), mode);
}

function step(who: string, sign: string, what: string): ModeChange {
  const named = [...who].reduce((mask, letter) => mask | (WHO[letter] ?? 0), 0);
  const mask = named === 0 ? 0o7777 & ~UMASK : named;
  return (mode, isDirectory) => {
    const bits = bitsOf(what, mode, isDirectory) & mask;
    if (sign === "+") return mode | bits;
    if (sign === "-") return mode & ~bits;
    const kept = named === 0 ? 0o7777 : named;
    return (mode & ~(isDirectory ? kept & ~0o6000 : kept)) | bits;
  };
}

function bitsOf(what: string, mode: number, isDirectory: boolean): number {
  if (/^[0-7]+$/.test(what)) return Number.parseInt(what, 8);
  if (/^[ugo]$/.test(what)) {
    const digit = (mode >> (what === "u" ? 6 : what === "g" ? 3 : 0)) & 7;
    return digit * 0o111;
  }
  return [...what].reduce((bits, letter) => {
    if (letter === "X") return isDirectory || (mode & 0o111) !== 0 ? bits | 0o111 : bits;
    return bits | (RIGHTS[letter] ?? 0);
  }, 0);
}
