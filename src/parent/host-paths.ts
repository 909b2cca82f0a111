import { sep } from "node:path";

/** Whether a path of the host is a directory or lies in it, by their text: both without links. */
export function isAtOrBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
