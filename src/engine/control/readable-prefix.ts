/**
 * bash reads a script command by command: what stands before a syntax error has run when it is found. The engine reads
 * all of it first. This gives the commands before the error and then the error, as bash would have run them.
 */
import { parse } from "just-bash";

/** How many lines above the error are tried as the end of what is complete. */
const MOST_TRIES = 200;

export interface Readable {
  /** The script, or its part before the error. */
  readonly text: string;
  /** Line of the error, and what is wrong. */
  readonly error: { readonly line: number; readonly why: string } | null;
}

export function readablePart(script: string): Readable {
  const error = syntaxError(script);
  if (error === null) return { text: script, error: null };
  const lines = script.split("\n");
  const last = Math.min(error.line - 1, lines.length);
  for (let count = last; count > 0 && count > last - MOST_TRIES; count--) {
    const text = lines.slice(0, count).join("\n");
    if (syntaxError(text) === null) return { text, error };
  }
  return { text: "", error };
}

function syntaxError(script: string): { line: number; why: string } | null {
  try {
    parse(script, { maxHeredocSize: script.length });
    return null;
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    const line = Number(/\b(?:at|line) (\d+)/.exec(text)?.[1] ?? "0");
    return { line: line || script.split("\n").length, why: inBashWords(text) };
  }
}

function inBashWords(text: string): string {
  const why = text.replace(/^(Parse error(?: at \d+:\d+)?:|line \d+:) */i, "");
  if (/got EOF$/.test(why)) return "syntax error: unexpected end of file";
  const token = /^Expected \S+, got (.*)$/.exec(why)?.[1];
  if (token !== undefined) return `syntax error near unexpected token \`${token}'`;
  return why;
}
