/**
 * What the engine's commands print of a file system error is Node's text («EROFS: read-only file system, rm
 * '/a'»); a shell prints the C library's («Read-only file system»). And most of them say «No such file or directory»
 * of whatever they could not read, a FIFO or a loop of links. Applied to stderr on its way out.
 */
import { errnoText } from "../workspace/shell-error.ts";
import { readFailureBelow } from "./fs-errors.ts";

const NODE_TEXT = /\b(E[A-Z0-9]{2,}): [a-z][^,\n']*, [a-z]+ '[^'\n]*'(?: -> '[^'\n]*')?/g;
const MISSING = /^([a-z][\w-]*: )([^\n:]+): No such file or directory$/gm;

export function mendErrorText(text: string): string {
  if (!text.includes(": ")) return text;
  const mended = text.replace(NODE_TEXT, (whole, errno: string) => errnoText(errno) ?? whole);
  return mended.replace(MISSING, (whole, start: string, shown: string) => {
    const errno = readFailureBelow(shown);
    return errno === undefined ? whole : `${start}${shown}: ${errnoText(errno)}`;
  });
}
