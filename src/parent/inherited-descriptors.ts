/**
 * What this process got from its own parent and would hand on: libuv marks the low descriptors at start, up to the
 * first gap above 15, and a shell's `exec 251<file` lies beyond.
 */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";

const CLOSE_ON_EXEC = 0o2000000;
const PLACE = "/proc/self/fdinfo";

let known: readonly number[] | undefined;

/** Above the three standard ones; none where there is no `/proc`. */
function openOnExec(): number[] {
  try {
    return readdirSync(PLACE)
      .map(Number)
      .filter((descriptor) => descriptor > 2 && !isMarked(descriptor));
  } catch {
    return [];
  }
}

function isMarked(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`${PLACE}/${descriptor}`, "latin1"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    // The one by which the directory was read.
    return true;
  }
}

/** What a child's descriptors from `first` on have to be so that it inherits none; `release` once it was started. */
export function shutInherited(first: number): {
  readonly entries: readonly ("ignore" | number)[];
  readonly highest?: number;
  release(): void;
} {
  // Once: what Node.js and libuv open later is marked.
  known ??= openOnExec();
  const open = known.filter((descriptor) => descriptor >= first);
  if (open.length === 0) return { entries: [], release: () => undefined };
  const nothing = openSync(devNull, "r");
  // "ignore" leaves a number as it is, so each that is open gets a file that holds nothing.
  const highest = Math.max(...open);
  const entries = Array.from({ length: highest - first + 1 }, (_, index) =>
    open.includes(first + index) ? nothing : "ignore",
  );
  return { entries, highest, release: () => closeSync(nothing) };
}
