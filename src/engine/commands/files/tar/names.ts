/** Names of members: which are left out, and what `--strip-components` and `--transform` make of them. */
import { patternOf } from "../name-match.ts";

const VCS = [
  ...[
    "CVS",
    "RCS",
    "SCCS",
    ".git",
    ".gitignore",
    ".gitmodules",
    ".gitattributes",
    ".cvsignore",
    ".svn",
    ".arch-ids",
  ],
  ...[
    "{arch}",
    "=RELEASE-ID",
    "=meta-update",
    "=update",
    ".bzr",
    ".bzrignore",
    ".bzrtags",
    ".hg",
    ".hgignore",
  ],
  ...[".hgtags", ".hgrags", "_darcs"],
];
const BACKUPS = [".#*", "*~", "#*#"];

/** Whether a name is left out: a pattern matches it, or its end behind a slash. */
export function excluder(
  patterns: readonly string[],
  vcs: boolean,
  backups: boolean,
): (name: string) => boolean {
  const all = [...patterns, ...(vcs ? VCS : []), ...(backups ? BACKUPS : [])].map((one) =>
    patternOf(one.replace(/\/+$/, "")),
  );
  if (all.length === 0) return () => false;
  return (name) => {
    const parts = name.replace(/\/+$/, "").split("/");
    return parts.some((_, from) =>
      parts.some(
        (_, to) => to >= from && all.some((pattern) => pattern.test(parts.slice(from, to + 1).join("/"))),
      ),
    );
  };
}

/** A change of names, as `sed` writes it; null for what is none. */
export function transformer(expressions: readonly string[]): ((name: string) => string) | null {
  const changes: ((name: string) => string)[] = [];
  for (const expression of expressions.flatMap((one) => one.split(/;(?=s\W)/))) {
    const delimiter = expression[1] ?? "";
    if (!expression.startsWith("s") || delimiter === "") return null;
    const parts = splitAt(expression.slice(2), delimiter);
    const [pattern, replacement, flags = ""] = parts;
    if (pattern === undefined || replacement === undefined) return null;
    const source = flags.includes("x") ? pattern : basicToExtended(pattern);
    let regex: RegExp;
    try {
      regex = new RegExp(source, `${flags.includes("g") ? "g" : ""}${flags.includes("i") ? "i" : ""}u`);
    } catch {
      return null; // no expression
    }
    changes.push((name) =>
      name.replace(regex, (...found: unknown[]) =>
        replacement.replace(/\\(\d)|\\(.)|&/g, (whole, digit?: string, char?: string) => {
          if (char !== undefined) return char;
          return String(found[whole === "&" ? 0 : Number(digit)] ?? "");
        }),
      ),
    );
  }
  return (name) => changes.reduce((text, change) => change(text), name);
}

function splitAt(text: string, delimiter: string): string[] {
  const parts = [""];
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    const last = parts.length - 1;
    if (char === "\\" && at + 1 < text.length) {
      const next = text[++at] ?? "";
      parts[last] += next === delimiter ? next : char + next;
    } else if (char === delimiter) parts.push("");
    else parts[last] += char;
  }
  return parts;
}

/** `\(`, `\|`, `\+` mean what they mean bare in an extended expression, and the other way round. */
function basicToExtended(pattern: string): string {
  return pattern.replace(
    /\\([(){}|+?])|([(){}|+?])/g,
    (_, behind?: string, bare?: string) => behind ?? `\\${bare}`,
  );
}

/** The name without its first parts; null when nothing is left. */
export function stripped(name: string, count: number): string | null {
  if (count === 0) return name;
  const parts = name.split("/").filter((part) => part !== "");
  const isFolder = name.endsWith("/");
  if (parts.length <= count) return null;
  return parts.slice(count).join("/") + (isFolder ? "/" : "");
}
