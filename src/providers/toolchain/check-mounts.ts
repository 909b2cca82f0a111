/**
 * Whether a jail shows what was meant, asked of the kernel before anything runs in it. Bubblewrap takes paths, and a
 * guest of another sandbox that writes into the same directory can put a link in place of what was looked at. What
 * the kernel has bound is told by its table of mounts in one read, by file system and place in it: places outside of
 * a mount are out of every guest's reach, so none can pass for the one that was meant.
 *
 * Each argument makes one mount. So when each is where it belongs, there is none anywhere else.
 */
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { onlyChild } from "../../parent/isolation/wrapped-worker.ts";
import { isAtOrBelow } from "../../shared/virtual-path.ts";

/** One mount that a jail must have. Paths as the kernel tells them: a character for each byte. */
export interface MeantMount {
  readonly at: string;
  /** Major and minor number of the file system. */
  readonly device: string;
  /** The path in the file system. */
  readonly root: string;
  readonly readOnly: boolean;
}

const MOUNTS_TIMEOUT_MS = 5_000;
const POLL_MS = 2;

/** What arguments of bubblewrap mean that bind paths without links: `--bind`, `--ro-bind` and `--remount-ro`. */
export function meantMounts(binds: readonly string[]): MeantMount[] {
  const host = readMounts("self");
  const meant = new Map<string, MeantMount>();
  for (let index = 0; index < binds.length; ) {
    const [option = "", first = "", second = ""] = binds.slice(index, index + 3).map(toBytes);
    if (option === "--remount-ro") {
      const before = meant.get(first);
      if (before !== undefined) meant.set(first, { ...before, readOnly: true });
      index += 2;
    } else {
      const at = second;
      meant.set(at, { at, ...placeOf(first, host), readOnly: option === "--ro-bind" });
      index += 3;
    }
  }
  return [...meant.values()];
}

/**
 * Waits until bubblewrap has made its mounts; it must wait for a word before it starts anything.
 *
 * @returns the path that shows something else than was meant; `null` when there is none
 */
export async function findStrangeMount(
  outerPid: number,
  meant: readonly MeantMount[],
  isGone: () => boolean,
): Promise<string | null> {
  const deadlineMs = performance.now() + MOUNTS_TIMEOUT_MS;
  while (!isGone()) {
    const pid = onlyChild(outerPid);
    const mounts = pid === null ? [] : readMounts(pid);
    const root = mounts.findLast(({ at }) => at === "/");
    const strange = meant.find((one) => !isThere(one, mounts));
    // The root becomes read-only last of all; `/newroot` is where bubblewrap has put it together.
    if (strange === undefined && root?.readOnly === true) return null;
    if ((root?.readOnly === true && root.root === "/newroot") || performance.now() > deadlineMs)
      return toText(strange?.at ?? "/");
    await wait(POLL_MS);
  }
  return null;
}

function isThere({ at, device, root, readOnly }: MeantMount, mounts: readonly MeantMount[]): boolean {
  // The last one at a place covers the others.
  const found = mounts.findLast((mount) => mount.at === at);
  return found?.device === device && found.root === root && found.readOnly === readOnly;
}

/** In which file system a path of the host lies, and where in it. */
function placeOf(path: string, host: readonly MeantMount[]): Pick<MeantMount, "device" | "root"> {
  const holders = host.filter(({ at }) => isAtOrBelow(path, at));
  const longest = Math.max(...holders.map(({ at }) => at.length));
  const holder = holders.findLast(({ at }) => at.length === longest);
  const below = holder?.at === "/" ? path : path.slice(longest);
  const root = `${holder?.root === "/" ? "" : (holder?.root ?? "")}${below}`;
  return { device: holder?.device ?? "", root: root === "" ? "/" : root };
}

function readMounts(pid: number | "self"): MeantMount[] {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/mountinfo`, "latin1");
  } catch {
    // The process is gone, and so is what it has mounted.
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const [, , device, root, at, options] = line.split(" ");
    if (device === undefined || root === undefined || at === undefined || options === undefined) return [];
    return [
      { at: fromOctal(at), device, root: fromOctal(root), readOnly: options.split(",").includes("ro") },
    ];
  });
}

/** The kernel writes blanks, line ends and backslashes as three octal digits. */
function fromOctal(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

function toBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function toText(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}
