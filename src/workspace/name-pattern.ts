/** One component of a glob pattern: `*`, `?`, `[…]`, `\x`. Time grows with pattern × name, whatever both hold. */

type Token =
  | { readonly kind: "star" }
  | { readonly kind: "any" }
  | { readonly kind: "literal"; readonly character: string }
  | {
      readonly kind: "class";
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

/** A compiled component. */
export type NamePattern = readonly Token[];

/** Whether a component has anything but literal characters. */
export function hasWildcard(text: string): boolean {
  return /[*?[\\]/.test(text);
}

/** Compiles a component; a `[` without its `]` stands for itself. */
export function compileNamePattern(text: string): NamePattern {
  const characters = [...text];
  const tokens: Token[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    if (character === "*") tokens.push({ kind: "star" });
    else if (character === "?") tokens.push({ kind: "any" });
    else if (character === "\\" && at + 1 < characters.length) {
      at++;
      tokens.push({ kind: "literal", character: characters[at] ?? "" });
    } else {
      const end = character === "[" ? endOfClass(characters, at) : -1;
      if (end === -1) tokens.push({ kind: "literal", character });
      else {
        tokens.push(toClass(characters.slice(at + 1, end)));
        at = end;
      }
    }
  }
  return tokens;
}

/** Whether a name matches whole. As in a shell, a leading dot is matched by a literal dot only. */
export function matchesName(pattern: NamePattern, name: string): boolean {
  const first = pattern[0];
  if (name.startsWith(".") && !(first?.kind === "literal" && first.character === ".")) return false;
  const characters = [...name];
  let at = 0;
  let token = 0;
  // Where the last star stood and what it had taken: on a mismatch it alone takes one more.
  let starToken = -1;
  let starAt = 0;
  while (at < characters.length) {
    const next = pattern[token];
    if (next?.kind === "star") {
      starToken = token;
      starAt = at;
      token++;
    } else if (next !== undefined && matchesOne(next, characters[at] ?? "")) {
      token++;
      at++;
    } else if (starToken !== -1) {
      starAt++;
      at = starAt;
      token = starToken + 1;
    } else return false;
  }
  return pattern.slice(token).every(({ kind }) => kind === "star");
}

function matchesOne(token: Token, character: string): boolean {
  if (token.kind === "any") return true;
  if (token.kind === "literal") return token.character === character;
  if (token.kind === "star") return false;
  return token.ranges.some(([from, to]) => character >= from && character <= to) !== token.negated;
}

/** The first `]` that is neither the first member nor before the negation. */
function endOfClass(characters: readonly string[], open: number): number {
  const negated = characters[open + 1] === "!" || characters[open + 1] === "^";
  return characters.indexOf("]", open + (negated ? 3 : 2));
}

function toClass(members: readonly string[]): Token {
  const negated = members[0] === "!" || members[0] === "^";
  const ranges: [string, string][] = [];
  for (let at = negated ? 1 : 0; at < members.length; at++) {
    const from = members[at] ?? "";
    const to = members[at + 2];
    if (members[at + 1] === "-" && to !== undefined) {
      ranges.push([from, to]);
      at += 2;
    } else ranges.push([from, from]);
  }
  return { kind: "class", negated, ranges };
}
