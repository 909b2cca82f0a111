/** Patterns of the C library (`fnmatch`) and of `find -regex`, as regular expressions of whole texts. */

/** `*`, `?`, `[…]` and backslashes; no character is special to a path. */
export function patternOf(glob: string, ignoreCase = false): RegExp {
  let source = "";
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at] ?? "";
    if (char === "*") source += ".*";
    else if (char === "?") source += ".";
    else if (char === "\\" && at + 1 < glob.length) source += escaped(glob[++at] ?? "");
    else if (char === "[") {
      const end = bracketEnd(glob, at);
      if (end < 0) source += "\\[";
      else {
        source += bracketClass(glob.slice(at + 1, end));
        at = end;
      }
    } else source += escaped(char);
  }
  return new RegExp(`^${source}$`, ignoreCase ? "sui" : "su");
}

/** Where a bracket expression closes, or -1. */
function bracketEnd(text: string, start: number): number {
  let at = start + 1;
  if (text[at] === "!" || text[at] === "^") at++;
  if (text[at] === "]") at++;
  for (; at < text.length; at++) {
    const close = text[at] === "[" ? /^\[([:.=]).*?\1\]/s.exec(text.slice(at)) : null;
    if (close !== null) at += close[0].length - 1;
    else if (text[at] === "]") return at;
  }
  return -1;
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: "\\p{L}",
  digit: "0-9",
  alnum: "\\p{L}0-9",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  space: "\\s",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`\\{-~",
  xdigit: "0-9A-Fa-f",
  cntrl: "\\0-\\x1f\\x7f",
  print: " -~\\u0080-\\u{10ffff}",
  graph: "!-~\\u0080-\\u{10ffff}",
};

function bracketClass(inner: string): string {
  const isNegated = /^[!^]/.test(inner);
  const body = (isNegated ? inner.slice(1) : inner).replace(
    /\[:(\w+):\]|([\\\][^&~|])/g,
    (_, name: string | undefined, special: string) =>
      name === undefined ? `\\${special}` : (CLASSES[name] ?? ""),
  );
  return body === "" ? "(?!)" : `[${isNegated ? "^" : ""}${body.replace(/^-|-$/g, "\\-")}]`;
}

function escaped(char: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}

/** Kinds of expressions that `-regextype` names: which characters mean something without a backslash. */
const SYNTAXES: Readonly<Record<string, { bare: string; behind: string }>> = {
  emacs: { bare: "+?", behind: "()|" },
  "findutils-default": { bare: "+?", behind: "()|" },
  "posix-basic": { bare: "", behind: "(){}" },
  "posix-minimal-basic": { bare: "", behind: "(){}" },
  ed: { bare: "", behind: "(){}" },
  sed: { bare: "", behind: "(){}|+?" },
  grep: { bare: "", behind: "(){}|+?" },
  "posix-extended": { bare: "+?(){}|", behind: "" },
  egrep: { bare: "+?(){}|", behind: "" },
  "posix-egrep": { bare: "+?(){}|", behind: "" },
  awk: { bare: "+?()|", behind: "" },
  "gnu-awk": { bare: "+?(){}|", behind: "" },
  "posix-awk": { bare: "+?(){}|", behind: "" },
};

export function isRegexSyntax(name: string): boolean {
  return Object.hasOwn(SYNTAXES, name);
}

/** An expression that a whole path has to match. Throws a `SyntaxError` where it is none. */
export function regexOf(text: string, syntax: string, ignoreCase: boolean): RegExp {
  const { bare, behind } = SYNTAXES[syntax] ?? { bare: "+?", behind: "()|" };
  let source = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "[") {
      const end = bracketEnd(text, at);
      if (end < 0) throw new SyntaxError("Unmatched [, [^, [:, [., or [=");
      source += bracketClass(text.slice(at + 1, end).replace(/^!/, "\\!"));
      at = end;
    } else if (char === "\\" && at + 1 < text.length) {
      const next = text[++at] ?? "";
      if (behind.includes(next)) source += next;
      else if (/[wWbBsS1-9]/.test(next)) source += `\\${next}`;
      else if (next === "<" || next === ">") source += "\\b";
      else source += escaped(next);
    } else if (".*^$".includes(char) || bare.includes(char)) source += char;
    else source += escaped(char);
  }
  return new RegExp(`^(?:${source})$`, ignoreCase ? "sui" : "su");
}
