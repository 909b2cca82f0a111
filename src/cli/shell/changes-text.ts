import type { FileChange } from "../../shared/file-change.ts";
import { toVisible } from "../visible-text.ts";

/** Lines for the changes of one command, and one more for those left out. */
const MAX_LINES = 5;

const SIGNS = { created: "+", modified: "~", deleted: "-" } as const;

/** What a command changed, a few lines (`  + a.txt`), each ending in a newline; paths below `cwd` are relative to it. */
export function changesText(changes: readonly FileChange[], cwd: string): string {
  const below = cwd === "/" ? "/" : `${cwd}/`;
  const lines = changes.slice(0, MAX_LINES).map(({ change, path, kind }) => {
    const short = path.startsWith(below) && path !== below ? path.slice(below.length) : path;
    return `  ${SIGNS[change]} ${toVisible(short)}${kind === "directory" ? "/" : ""}\n`;
  });
  const rest = changes.slice(MAX_LINES);
  if (rest.length === 0) return lines.join("");
  const counts = (["created", "modified", "deleted"] as const)
    .map((change) => [rest.filter((one) => one.change === change).length, change] as const)
    .filter(([count]) => count > 0);
  return `${lines.join("")}  … and ${counts.map(([count, change]) => `${count} ${change}`).join(", ")}\n`;
}
