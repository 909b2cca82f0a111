/** Patterns of names as `fnmatch` has them: `*` and `?` take slashes too. */
export function nameGlob(pattern: string): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? "";
    if (char === "*") source += "[^]*";
    else if (char === "?") source += "[^]";
    else if (char === "[") {
      const match = /^\[([!^]?)(\]?[^\]]*)\]/.exec(pattern.slice(at));
      if (match === null) source += "\\[";
      else {
        const [whole, negation = "", members = ""] = match;
        source += `[${negation === "" ? "" : "^"}${members.replace(/[\\\]^[]/g, "\\$&")}]`;
        at += whole.length - 1;
      }
    } else {
      const taken = char === "\\" ? (pattern[++at] ?? "\\") : char;
      source += taken.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    }
  }
  return new RegExp(`^(?:${source})$`);
}
