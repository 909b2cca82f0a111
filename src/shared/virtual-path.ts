/** Paths inside the sandbox: always POSIX, whatever the host is. Pure text, no I/O, links are not known here. */

/** Joins a path to a base (absolute paths stand alone) and removes `.`, `..` and doubled slashes by text alone. */
export function resolveVirtualPath(base: string, path: string): string {
  const whole = path.startsWith("/") ? path : `${base}/${path}`;
  const kept: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") kept.pop();
    else kept.push(part);
  }
  return `/${kept.join("/")}`;
}

/** `parent` + `/` + `name`, without doubling the slash of the root. */
export function joinVirtualPath(parent: string, name: string): string {
  return parent === "/" ? `/${name}` : `${parent}/${name}`;
}

/** The directory part of a normalised path; the root is its own parent. */
export function parentOfVirtualPath(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}

/** The last component of a normalised path; empty for the root. */
export function nameOfVirtualPath(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether `path` is `ancestor` itself or lies below it. Both normalised. */
export function isAtOrBelow(path: string, ancestor: string): boolean {
  return path === ancestor || isBelow(path, ancestor);
}

/** Whether `path` lies strictly below `ancestor`. Both normalised. */
export function isBelow(path: string, ancestor: string): boolean {
  if (ancestor === "/") return path !== "/";
  return path.length > ancestor.length && path.startsWith(ancestor) && path[ancestor.length] === "/";
}

/** Whether a path is absolute, normalised and free of NUL. */
export function isNormalisedVirtualPath(path: string): boolean {
  return path.startsWith("/") && !path.includes("\0") && resolveVirtualPath("/", path) === path;
}
