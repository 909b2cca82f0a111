/**
 * A pattern → the files that match it. In place of the engine's, which knows neither a slash at the end nor `!(…)` nor
 * `nocaseglob`, takes `**` with one for text, and skips directories behind links.
 */
import { compilePattern } from "./extended-pattern.ts";

interface Entry {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly isSymbolicLink: boolean;
}

/** The files, and what `shopt` says. */
export interface FileView {
  readonly cwd: string;
  list(directory: string): Promise<readonly Entry[]>;
  /** Follows links. */
  isDirectory(path: string): Promise<boolean>;
  exists(path: string): Promise<boolean>;
  readonly dotglob: boolean;
  readonly globstar: boolean;
  readonly nocaseglob: boolean;
  /** `GLOBIGNORE`. */
  readonly ignore: string;
}

/** Expands a pattern whose quoted characters stand behind a backslash; sorted by code point. */
export async function matchFiles(view: FileView, pattern: string): Promise<string[]> {
  const absolute = pattern.startsWith("/");
  const segments = splitSegments(pattern);
  const found: string[] = [];
  await walk(view, absolute ? "/" : view.cwd, absolute ? "/" : "", segments, 0, found);
  const kept = view.ignore === "" ? found : found.filter((path) => !isIgnored(path, view.ignore));
  return [...new Set(kept)].sort(byCodePoint);
}

/** Segments without the slashes; an empty last one asks for a directory. */
function splitSegments(pattern: string): string[] {
  return pattern.replace(/^\/+/, "").split(/\/+/);
}

async function walk(
  view: FileView,
  directory: string,
  shown: string,
  segments: readonly string[],
  at: number,
  found: string[],
): Promise<void> {
  const segment = segments[at];
  if (segment === undefined) return;
  const isLast = at === segments.length - 1;
  if (segment === "") {
    if (shown !== "" && (await view.isDirectory(directory))) found.push(shown);
    return;
  }
  if (segment === "**" && view.globstar) return walkDeep(view, directory, shown, segments, at, found);
  if (!/[*?[]|[@+!]\(/.test(segment.replace(/\\./gs, ""))) {
    const name = segment.replace(/\\(.)/gs, "$1");
    const path = join(directory, name);
    if (isLast) {
      if (await view.exists(path)) found.push(shown + name);
    } else if (await view.isDirectory(path))
      await walk(view, path, `${shown}${name}/`, segments, at + 1, found);
    return;
  }
  const matches = compilePattern(segment, view.nocaseglob);
  const hidden = view.dotglob || segment.startsWith(".") || segment.startsWith("\\.") || view.ignore !== "";
  const entries = await view.list(directory);
  for (const entry of entries) {
    if ((entry.name.startsWith(".") && !hidden) || !matches(entry.name)) continue;
    const path = join(directory, entry.name);
    if (isLast) found.push(shown + entry.name);
    else if (await leadsToDirectory(view, entry, path))
      await walk(view, path, `${shown}${entry.name}/`, segments, at + 1, found);
  }
}

/** `**`: this directory and all below it, without following links. */
async function walkDeep(
  view: FileView,
  directory: string,
  shown: string,
  segments: readonly string[],
  at: number,
  found: string[],
): Promise<void> {
  const isLast = at === segments.length - 1;
  if (isLast) {
    // `dir/**` names `dir/` itself, too.
    if (shown !== "" && shown !== "/") found.push(shown);
  } else await walk(view, directory, shown, segments, at + 1, found);
  for (const entry of await view.list(directory)) {
    if (entry.name.startsWith(".") && !view.dotglob) continue;
    const path = join(directory, entry.name);
    if (isLast && !(entry.isDirectory && !entry.isSymbolicLink)) found.push(shown + entry.name);
    if (entry.isSymbolicLink && segments[at + 1] === "" && (await view.isDirectory(path)))
      found.push(`${shown}${entry.name}/`);
    if (!entry.isDirectory || entry.isSymbolicLink) continue;
    if (isLast) {
      found.push(shown + entry.name);
      const below: string[] = [];
      await walkDeep(view, path, `${shown}${entry.name}/`, segments, at, below);
      for (const one of below) if (one !== `${shown}${entry.name}/`) found.push(one);
    } else await walkDeep(view, path, `${shown}${entry.name}/`, segments, at, found);
  }
}

async function leadsToDirectory(view: FileView, entry: Entry, path: string): Promise<boolean> {
  return entry.isDirectory || (entry.isSymbolicLink && (await view.isDirectory(path)));
}

function join(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

function isIgnored(path: string, ignore: string): boolean {
  return ignore.split(":").some((pattern) => pattern !== "" && compilePattern(pattern, false)(path));
}

function byCodePoint(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
