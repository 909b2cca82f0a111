/**
 * The engine's parser on its own, for who reads scripts without running them (`src/tiers`). Built into
 * `dist/worker/classify.cjs`. The engine tells lines alone; here each word also knows where it stands.
 */

import { Parser } from "just-bash:parser";
import type { CommandNode, ScriptNode, WordNode } from "just-bash";

export type { CommandNode, ScriptNode, SimpleCommandNode, StatementNode, WordNode } from "just-bash";
export type FunctionNode = Extract<CommandNode, { type: "FunctionDef" }>;

/** A word with its place: the offset of its first character in the script, where that is known. */
export type PlacedWord = WordNode & { at?: number };

/** What the built file gives. */
export interface ScriptParser {
  /** @throws Error where the engine would refuse the script. */
  parse(script: string): ScriptNode;
  /** Text whose expansions count and nothing else, as between double quotes: what arithmetic and subscripts hold. */
  parseText(text: string): WordNode;
}

/** Where the text of a parser begins in the script; not exact: everything in it stands at `base`. */
interface Place {
  readonly base: number;
  readonly exact: boolean;
}

/** Places are looked for by text: after so many that were not there, one place serves for the rest. */
const MOST_FAILURES = 50;

const places = new WeakMap<Parser, Place>();
const searched = new WeakMap<Parser, { from: number; failures: number }>();
let running: Parser | null = null;

const { parse: parseAll, parseWord } = Parser.prototype;

// The engine makes a parser of its own for what stands in `$(…)`, `` `…` `` and `<(…)`, and calls it while it reads.
Parser.prototype.parse = function (this: Parser, script, options) {
  const outer = running;
  places.set(this, outer === null ? { base: 0, exact: true } : placeIn(outer, script));
  return within(this, () => parseAll.call(this, script, options));
};

Parser.prototype.parseWord = function (this: Parser, context) {
  const { start } = this.current();
  const word: PlacedWord = parseWord.call(this, context);
  const { base, exact } = places.get(this) ?? { base: 0, exact: false };
  word.at = exact ? base + start : base;
  return word;
};

export function parse(script: string): ScriptNode {
  return new Parser().parse(script, { maxHeredocSize: script.length });
}

export function parseText(text: string): WordNode {
  const parser = new Parser();
  places.set(parser, { base: 0, exact: false });
  return within(parser, () => parser.parseWordFromString(text, false, false, false, true, true));
}

function within<T>(parser: Parser, read: () => T): T {
  const outer = running;
  running = parser;
  try {
    return read();
  } finally {
    running = outer;
  }
}

function placeIn(outer: Parser, text: string): Place {
  const place = places.get(outer) ?? { base: 0, exact: false };
  if (!place.exact) return place;
  const token = outer.tokens[Math.max(outer.pos - 1, 0)] ?? { start: 0, end: 0 };
  const search = searched.get(outer) ?? { from: 0, failures: 0 };
  searched.set(outer, search);
  if (search.failures < MOST_FAILURES) {
    const from = Math.max(search.from, token.start);
    const found = findBracketed(outer._input.slice(from, token.end), text);
    if (found !== -1) {
      search.from = from + found + text.length;
      return { base: place.base + from + found, exact: true };
    }
    search.failures++;
  }
  return { base: place.base + token.start, exact: false };
}

/** Where `text` stands as a substitution in `source`, or -1: backquotes hold it with more backslashes than it has. */
function findBracketed(source: string, text: string): number {
  for (let at = source.indexOf(text); at !== -1; at = source.indexOf(text, at + 1)) {
    if (/(?:[$<>]\(|`)$/.test(source.slice(Math.max(at - 2, 0), at))) return at;
  }
  return -1;
}
