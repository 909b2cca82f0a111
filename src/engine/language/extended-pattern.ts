/**
 * Patterns with `!(…)`: the engine turns patterns into regular expressions, and its kind of them knows no «not».
 * Matching keeps the set of positions that the pattern so far can end at, so it takes no exponential time.
 */

type Node =
  | { readonly is: "char"; readonly char: string }
  | { readonly is: "any" }
  | { readonly is: "star" }
  | { readonly is: "set"; readonly has: (char: string) => boolean }
  | { readonly is: "group"; readonly sign: string; readonly choices: readonly (readonly Node[])[] };

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[\p{L}\p{N}]/u,
  alpha: /\p{L}/u,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /[0-9]/,
  graph: /[^\s\p{Cc}]/u,
  lower: /\p{Ll}/u,
  print: /[^\p{Cc}]/u,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /\p{Lu}/u,
  word: /\w/,
  xdigit: /[0-9A-Fa-f]/,
};

/** A pattern, extended forms included, as a test for whole texts. */
export function compilePattern(pattern: string, ignoreCase: boolean): (text: string) => boolean {
  const nodes = read(ignoreCase ? pattern.toLowerCase() : pattern);
  const simple = nodes.every(({ is }) => is !== "group");
  return (text) => {
    const chars = [...(ignoreCase ? text.toLowerCase() : text)];
    return simple ? matchesSimple(nodes, chars) : ends(nodes, chars, new Set([0])).has(chars.length);
  };
}

/** Whether all of `text` matches. */
export function matchesExtended(text: string, pattern: string, ignoreCase: boolean): boolean {
  return compilePattern(pattern, ignoreCase)(text);
}

/** Without groups a later `*` makes it needless to come back to an earlier one. */
function matchesSimple(nodes: readonly Node[], chars: readonly string[]): boolean {
  let node = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < chars.length) {
    const current = nodes[node];
    if (current?.is === "star") {
      star = node++;
      starAt = at;
    } else if (current !== undefined && takes(current, chars[at] ?? "")) {
      node++;
      at++;
    } else if (star !== -1) {
      node = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (nodes[node]?.is === "star") node++;
  return node === nodes.length;
}

function takes(node: Node, char: string): boolean {
  return (
    node.is === "any" || (node.is === "char" && node.char === char) || (node.is === "set" && node.has(char))
  );
}

/** What stands before a word that is no command. */
const BEFORE_WORD = new Set(["WORD", "NAME", "NUMBER", "IN", "DSEMI", "SEMI_AND", "SEMI_SEMI_AND"]);

/** Whether `!(` after these tokens starts a pattern; elsewhere it negates a subshell. */
export function patternMayStart(tokens: readonly { readonly type: string }[]): boolean {
  const last = tokens.at(-1)?.type ?? "";
  return BEFORE_WORD.has(last) || (last === "LPAREN" && tokens.at(-2)?.type === "ASSIGNMENT_WORD");
}

/** Where a sequence can end when it starts at one of `starts`. */
function ends(
  nodes: readonly Node[],
  chars: readonly string[],
  starts: ReadonlySet<number>,
): ReadonlySet<number> {
  let at = starts;
  for (const node of nodes) {
    if (at.size === 0) break;
    at = step(node, chars, at);
  }
  return at;
}

function step(node: Node, chars: readonly string[], from: ReadonlySet<number>): ReadonlySet<number> {
  const to = new Set<number>();
  if (node.is === "star") {
    for (let i = Math.min(...from); i <= chars.length; i++) to.add(i);
    return to;
  }
  if (node.is === "group") return group(node.sign, node.choices, chars, from);
  for (const i of from) {
    const char = chars[i];
    if (char !== undefined && takes(node, char)) to.add(i + 1);
  }
  return to;
}

function group(
  sign: string,
  choices: readonly (readonly Node[])[],
  chars: readonly string[],
  from: ReadonlySet<number>,
): ReadonlySet<number> {
  const once = (starts: ReadonlySet<number>) =>
    new Set(choices.flatMap((choice) => [...ends(choice, chars, starts)]));
  if (sign === "@") return once(from);
  if (sign === "?") return new Set([...from, ...once(from)]);
  if (sign === "!") {
    const to = new Set<number>();
    for (const start of from) {
      const matched = once(new Set([start]));
      for (let i = start; i <= chars.length; i++) if (!matched.has(i)) to.add(i);
    }
    return to;
  }
  const reached = new Set(sign === "*" ? from : []);
  let fresh = once(from);
  while (fresh.size > 0) {
    for (const i of fresh) reached.add(i);
    fresh = new Set([...once(fresh)].filter((i) => !reached.has(i)));
  }
  return reached;
}

function read(pattern: string): Node[] {
  const nodes: Node[] = [];
  const chars = [...pattern];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] ?? "";
    const close = "@*+?!".includes(char) && chars[i + 1] === "(" ? groupEnd(chars, i + 1) : -1;
    if (close !== -1) {
      const choices = choicesOf(chars.slice(i + 2, close)).map(read);
      nodes.push({ is: "group", sign: char, choices });
      i = close;
    } else if (char === "\\" && i + 1 < chars.length) {
      nodes.push({ is: "char", char: chars[++i] ?? "" });
    } else if (char === "*") nodes.push({ is: "star" });
    else if (char === "?") nodes.push({ is: "any" });
    else if (char === "[") {
      const end = setEnd(chars, i);
      if (end === -1) nodes.push({ is: "char", char });
      else {
        nodes.push({ is: "set", has: readSet(chars.slice(i + 1, end)) });
        i = end;
      }
    } else nodes.push({ is: "char", char });
  }
  return nodes;
}

function groupEnd(chars: readonly string[], open: number): number {
  let depth = 0;
  for (let i = open; i < chars.length; i++) {
    if (chars[i] === "\\") i++;
    else if (chars[i] === "(") depth++;
    else if (chars[i] === ")" && --depth === 0) return i;
  }
  return -1;
}

function choicesOf(chars: readonly string[]): string[] {
  const choices = [""];
  let depth = 0;
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] ?? "";
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "|" && depth === 0) choices.push("");
    else choices.push((choices.pop() ?? "") + char + (char === "\\" ? (chars[++i] ?? "") : ""));
  }
  return choices;
}

function setEnd(chars: readonly string[], open: number): number {
  let i = open + 1;
  if (chars[i] === "!" || chars[i] === "^") i++;
  if (chars[i] === "]") i++;
  for (; i < chars.length; i++) {
    if (chars[i] === "\\") i++;
    else if (chars[i] === "[" && chars[i + 1] === ":") {
      const end = chars.indexOf(":", i + 2);
      if (end !== -1 && chars[end + 1] === "]") i = end + 1;
    } else if (chars[i] === "]") return i;
  }
  return -1;
}

function readSet(chars: readonly string[]): (char: string) => boolean {
  const negated = chars[0] === "!" || chars[0] === "^";
  const tests: ((char: string) => boolean)[] = [];
  for (let i = negated ? 1 : 0; i < chars.length; i++) {
    const named = /^\[:(\w+):\]/.exec(chars.slice(i).join(""))?.[1];
    const known = named === undefined ? undefined : CLASSES[named];
    if (named !== undefined && known !== undefined) {
      tests.push((char) => known.test(char));
      i += named.length + 3;
      continue;
    }
    const low = chars[i] === "\\" ? (chars[++i] ?? "") : (chars[i] ?? "");
    if (chars[i + 1] === "-" && i + 2 < chars.length) {
      i += 2;
      const high = chars[i] === "\\" ? (chars[++i] ?? "") : (chars[i] ?? "");
      tests.push((char) => char >= low && char <= high);
    } else tests.push((char) => char === low);
  }
  return (char) => tests.some((test) => test(char)) !== negated;
}
