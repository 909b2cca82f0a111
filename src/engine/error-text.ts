/**
 * What the engine's commands print of a file system error is Node's text («EROFS: read-only file system, rm
 * '/a'»); a shell prints the C library's («Read-only file system»). Applied to stderr on its way out.
 */
import { errnoText } from "../workspace/shell-error.ts";

const NODE_TEXT = /\b(E[A-Z0-9]{2,}): [a-z][^,\n']*, [a-z]+ '[^'\n]*'(?: -> '[^'\n]*')?/g;

export function mendErrorText(text: string): string {
  if (!text.includes(": ")) return text;
  return text.replace(NODE_TEXT, (whole, errno: string) => errnoText(errno) ?? whole);
}
