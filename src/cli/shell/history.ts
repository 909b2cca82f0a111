/** What was typed into the prompt, one line an entry, oldest first, for the next shell over the same data directory. */
import { constants, promises } from "node:fs";
import { writeFileAtomic } from "../../storage/write-file-atomic.ts";
import { isVisible } from "../visible-text.ts";

/** Entries that the prompt remembers. The file holds at most twice as many before it is cut. */
export const MAX_ENTRIES = 1_000;
/** A longer line is not kept: it was pasted. */
const MAX_ENTRY_LENGTH = 4_096;

/** Whether a line is kept: not one that begins with a blank, as in bash with `ignorespace`. */
export function isKept(line: string): boolean {
  return line.trim() !== "" && !/^\s/.test(line) && line.length <= MAX_ENTRY_LENGTH && isVisible(line);
}

/** The entries of the file, oldest first; none when it is missing or cannot be read. */
export async function readHistory(file: string): Promise<string[]> {
  try {
    const lines = (await promises.readFile(file, "utf8")).split("\n").filter(isKept);
    if (lines.length > 2 * MAX_ENTRIES)
      await writeFileAtomic(file, `${lines.slice(-MAX_ENTRIES).join("\n")}\n`, { sync: false });
    return lines.slice(-MAX_ENTRIES);
  } catch {
    return []; // a prompt without a past is still a prompt
  }
}

/** Adds one line, for this user's eyes alone. Never rejects. */
export async function addToHistory(file: string, line: string): Promise<void> {
  if (!isKept(line)) return;
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  try {
    const handle = await promises.open(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
    try {
      await handle.writeFile(`${line}\n`);
    } finally {
      await handle.close();
    }
  } catch {
    // As above: the line was run all the same.
  }
}
