/** What `xargs` reads: items of a byte string, by blanks and quotes, by lines, or by a delimiter. */

/** How items are told apart. */
export interface ItemSyntax {
  /** One byte that ends an item; null: blanks, quotes and backslashes count. */
  readonly delimiter: string | null;
  /** Each line is one item, without the blanks in front (`-I`). */
  readonly wholeLines: boolean;
  /** An item that ends the input (`-E`). */
  readonly endOfFile: string | null;
}

/** An item, and whether a line ended after it (for `-L`). */
export interface Item {
  readonly text: string;
  readonly endsLine: boolean;
}

const UNMATCHED = (kind: string): string =>
  `unmatched ${kind} quote; by default quotes are special to xargs unless you use the -0 option`;

/** The items up to the end, and what is wrong with the rest, if anything is. */
export function readItems(bytes: string, syntax: ItemSyntax): { items: Item[]; problem: string | null } {
  const { delimiter } = syntax;
  if (delimiter !== null) {
    const parts = bytes.split(delimiter);
    if (parts.at(-1) === "") parts.pop();
    return { items: parts.map((text) => ({ text, endsLine: true })), problem: null };
  }
  const items: Item[] = [];
  let text = "";
  let hasItem = false;
  let quote = "";
  let problem: string | null = null;
  let isOver = false;
  const finish = (endsLine: boolean): void => {
    if (!hasItem || isOver) return;
    if (text === syntax.endOfFile) isOver = true;
    else items.push({ text, endsLine });
    text = "";
    hasItem = false;
  };
  let at = 0;
  for (; at < bytes.length && !isOver; at++) {
    const char = bytes.charAt(at);
    if (quote !== "") {
      if (char === "\n") {
        problem = UNMATCHED(quote === '"' ? "double" : "single");
        break;
      }
      if (char === quote) quote = "";
      else text += char;
    } else if (char === "\\") {
      text += bytes.charAt(++at);
      hasItem = true;
    } else if (char === '"' || char === "'") {
      quote = char;
      hasItem = true;
    } else if (char === "\n") {
      // A blank at the end of a line joins the next one to it, for -L.
      const joins = /[ \t]/.test(bytes.charAt(at - 1));
      finish(true);
      const last = items.at(-1);
      if (last !== undefined) items[items.length - 1] = { ...last, endsLine: !joins };
    } else if ((char === " " || char === "\t") && !(syntax.wholeLines && hasItem)) finish(false);
    else {
      text += char;
      hasItem = true;
    }
  }
  if (quote !== "" && problem === null) problem = UNMATCHED(quote === '"' ? "double" : "single");
  if (problem === null) finish(true);
  return { items, problem };
}
