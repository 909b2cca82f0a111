/** What `realpath` and `readlink -f` make of a path: links resolved one by one, with a say on what may be missing. */
import type { IFileSystem } from "just-bash";
import { joinVirtualPath, parentOfVirtualPath } from "../../../shared/virtual-path.ts";
import { errnoText } from "../../../workspace/shell-error.ts";
import { reasonOf } from "../reason.ts";

/** What must exist: every part, all but the last, or none. */
export type Existing = "all" | "parents" | "none";

export interface CanonicalOptions {
  readonly existing: Existing;
  /** `logical`: `..` takes a name away before links are followed. `never`: links stay as they are. */
  readonly links: "physical" | "logical" | "never";
}

const MAX_LINKS = 40;

/** The canonical path, or why there is none. */
export async function canonicalPath(
  fs: IFileSystem,
  cwd: string,
  operand: string,
  { existing, links }: CanonicalOptions,
): Promise<{ path: string } | { why: string }> {
  if (operand === "") return { why: errnoText("ENOENT") };
  const start = operand.startsWith("/") ? "/" : cwd;
  let names = splitNames(links === "logical" ? fs.resolvePath(cwd, operand) : operand);
  let path = links === "logical" ? "/" : start;
  let mustBeDirectory = /\/\.{0,2}$/.test(operand) || operand === "." || operand === "..";
  let followed = 0;
  while (names.length > 0) {
    const [name = "", ...rest] = names;
    names = rest;
    if (name === ".") continue;
    if (name === "..") {
      path = parentOfVirtualPath(path);
      continue;
    }
    const next = joinVirtualPath(path, name);
    const stat = await fs.lstat(next).catch(reasonOf);
    if (typeof stat === "string") {
      const isLast = names.every((one) => one === ".");
      const isMissing = stat === errnoText("ENOENT");
      if (existing !== "none" && !(existing === "parents" && isMissing && isLast)) return { why: stat };
      path = next;
      continue;
    }
    if (stat.isSymbolicLink && links !== "never") {
      if (++followed > MAX_LINKS) return existing === "none" ? { path: next } : { why: errnoText("ELOOP") };
      const target = await fs.readlink(next);
      if (target.endsWith("/") && names.length === 0) mustBeDirectory = true;
      names = [...splitNames(target), ...names];
      if (target.startsWith("/")) path = "/";
      continue;
    }
    if (
      !stat.isDirectory &&
      !stat.isSymbolicLink &&
      existing !== "none" &&
      (names.length > 0 || mustBeDirectory)
    )
      return { why: errnoText("ENOTDIR") };
    path = next;
  }
  return { path };
}

/** `path` as it is reached from the directory `from`; both canonical. */
export function relativePath(path: string, from: string): string {
  const names = splitNames(path);
  const base = splitNames(from);
  let common = 0;
  while (common < names.length && common < base.length && names[common] === base[common]) common++;
  return [...base.slice(common).map(() => ".."), ...names.slice(common)].join("/") || ".";
}

function splitNames(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}
