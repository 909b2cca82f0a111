/** Names as GNU programs show them in messages. */

const NEEDS_QUOTES = /[^A-Za-z0-9_+,./:@%^=~\-\u0080-\uffff]|^$|^[~#]/;
const CONTROL = /[\p{Cc}\udc80-\udcff]/u;
const SHORT: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\t": "\\t",
  "\r": "\\r",
  "\b": "\\b",
  "\f": "\\f",
  "\v": "\\v",
  "\x07": "\\a",
};

/** Always in quotes, so that a shell reads it back: 'a b', "it's", 'a'$'\n''b'. */
export function quoteName(name: string): string {
  if (CONTROL.test(name)) {
    const parts = name.split(/([\p{Cc}\udc80-\udcff]+|')/u);
    return parts
      .map((part, at) => {
        if (at % 2 === 0) return part === "" && at > 0 && at < parts.length - 1 ? "" : `'${part}'`;
        return part === "'" ? "\\'" : `$'${escapeControls(part)}'`;
      })
      .join("")
      .replace(/''$/, "");
  }
  return name.includes("'") && !/["$`\\!]/.test(name) ? `"${name}"` : `'${name.replaceAll("'", "'\\''")}'`;
}

/** In quotes only where a shell needs them. */
export function quoteNameIfNeeded(name: string): string {
  return NEEDS_QUOTES.test(name) || CONTROL.test(name) ? quoteName(name) : name;
}

/** For values that are no file names: ‘x’. */
export function quoteValue(value: string): string {
  return `‘${value}’`;
}

function escapeControls(text: string): string {
  return [...text]
    .map((char) => {
      const code = char.charCodeAt(0) & 0xff;
      return SHORT[char] ?? `\\${code.toString(8).padStart(3, "0")}`;
    })
    .join("");
}
