/**
 * What text must lose before it leaves the host: stack lines, `file://` URLs and absolute paths of the
 * host. It is a filter over words, not a proof: a path in pieces, or one with blanks outside quotes, is not
 * seen whole. Every message of a tool or of a host error passes here on its way to a script, a result or an
 * event; `test/package/one-redactor.test.ts` lists who may read a message without it, and why.
 */

/** Text beyond this many characters is dropped before anything is searched in it. */
const MAX_CHARACTERS = 64 * 1024;

const STACK_LINE = /^[ \t]+at [^\n]*(?::\d+:\d+\)?|\(<anonymous>\)|\(native\)|\(index \d+\))[ \t]*(?:\n|$)/gm;

// In this order: an URL is one word, so its path is not taken for a path of the host; a quoted path may hold blanks.
// No path starts with `/^`, and none follows `^`: that is how patterns look in the issues of a schema.
const PATHS =
  /([a-zA-Z][a-zA-Z0-9+.-]{0,31}:\/\/[^\s"'`<>]*)|(["'`])((?:\/(?!\^)|[A-Za-z]:[\\/]|\\\\)[^"'`\n]*)\2|(?<![\w.~/\\:^-])((?:\/(?=[^\s/"'`^])|[A-Za-z]:[\\/]|\\\\)[^\s"'`,;()<>[\]{}|]*)/g;

const PLACEHOLDER = "<path>";

/**
 * Removes stack lines, `file://` URLs and absolute host paths from a text.
 * @param keepPrefixes absolute paths inside the sandbox; a path at or below one of them stays as it is
 */
export function redactHostText(text: string, keepPrefixes: readonly string[] = []): string {
  const bounded = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  const isKept = (path: string): boolean =>
    keepPrefixes.some((prefix) => path === prefix || path.startsWith(prefix === "/" ? "/" : `${prefix}/`));
  return bounded
    .replace(STACK_LINE, "")
    .replace(PATHS, (whole, url?: string, quote?: string, quoted?: string, bare?: string) => {
      if (url !== undefined) {
        // What stands around a path in prose and in stacks is not part of it.
        return /^file:/i.test(url) ? `${PLACEHOLDER}${/[)\],;]*$/.exec(url)?.[0] ?? ""}` : url;
      }
      if (quote !== undefined && quoted !== undefined) {
        return isKept(quoted) ? whole : `${quote}${PLACEHOLDER}${quote}`;
      }
      const path = bare ?? whole;
      const trimmed = path.replace(/[.:!?]+$/, "");
      const position = /(?::\d+){0,2}$/.exec(trimmed)?.[0] ?? "";
      const inner = trimmed.slice(0, trimmed.length - position.length);
      return isKept(inner) ? whole : `${PLACEHOLDER}${path.slice(trimmed.length)}`;
    })
    .trimEnd();
}

/**
 * What anything thrown says, without what {@link redactHostText} removes. The one way from an error of the host
 * to words that a script or a model may read. Never throws.
 */
export function tellThrown(thrown: unknown, keepPrefixes: readonly string[] = []): string {
  return redactHostText(messageOf(thrown), keepPrefixes);
}

function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === "object" && thrown !== null && "message" in thrown) return String(thrown.message);
    return String(thrown);
  } catch {
    // A getter or a proxy that throws in turn: there is nothing left that could be told.
    return "something was thrown that cannot be read";
  }
}
