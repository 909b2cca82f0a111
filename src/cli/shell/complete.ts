/**
 * Completion of the word before the cursor: paths, and names of commands where a command begins. Everything is asked
 * of the sandbox, so that the prompt shows what a script would find, and never the host's own files.
 */
import type { DirectoryEntry, SandboxFileSystem } from "../../shared/file-system.ts";
import { joinVirtualPath, resolveVirtualPath } from "../../shared/virtual-path.ts";
import { isVisible } from "../visible-text.ts";

/** Most names that are shown; the rest is counted. */
const MAX_SHOWN = 200;

const HOME = "/home/user";
const PROGRAM_PLACES = ["/bin", "/usr/bin"];
/** What a shell has without a file. */
const BUILTINS =
  "alias bg break builtin case cd command compgen continue declare dirs do done elif else esac eval exec exit export false fc fg fi for function getopts hash if jobs kill let local mapfile popd printf pushd pwd read readonly return set shift shopt source test then time times trap true type typeset ulimit umask unalias unset until wait while".split(
    " ",
  );

/** What a sandbox is asked. */
export interface CompletionPlace {
  readonly fs: Pick<SandboxFileSystem, "readdirWithFileTypes" | "stat">;
  /** Where the shell stands. */
  readonly cwd: string;
}

/** What `node:readline` takes: whole words, and the text before the cursor that each of them replaces. */
export type Completion = [words: string[], replaced: string];

/** @param before the line up to the cursor. Never rejects. */
export async function complete(before: string, place: CompletionPlace): Promise<Completion> {
  const word = lastWord(before);
  if (word === undefined) return [[], before];
  const { raw, quote, beginsCommand } = word;
  const text = unquote(raw);
  if (beginsCommand && !text.includes("/") && quote === "") {
    const names = await commandNames(place);
    const found = names.filter((name) => name.startsWith(text));
    return toCompletion(
      found.map((name) => ({ word: quoteWord(name, ""), end: " " })),
      raw,
    );
  }
  const slash = text.lastIndexOf("/") + 1;
  const directory = text.slice(0, slash);
  const begin = text.slice(slash);
  const entries = await readDirectory(place, directory);
  const found = entries.filter(
    ({ name }) =>
      name.startsWith(begin) && (begin.startsWith(".") || !name.startsWith(".")) && isVisible(name),
  );
  const shownDirectory = quoteWord(directory, quote, true);
  const isOne = found.length === 1;
  const words = await Promise.all(
    found.map(async (entry) => {
      const isDirectory = entry.isDirectory || (isOne && (await leadsToDirectory(place, directory, entry)));
      const quoted = shownDirectory + quoteWord(entry.name, quote).slice(quote.length);
      return { word: isDirectory ? `${quoted}/` : quoted, end: isDirectory ? "" : `${quote} ` };
    }),
  );
  return toCompletion(words, raw);
}

interface Word {
  /** As it is written, an opening quote with it. */
  readonly raw: string;
  /** The quote that is open at the cursor. */
  readonly quote: "" | "'" | '"';
  readonly beginsCommand: boolean;
}

/** `undefined` where nothing can be completed: behind an expansion, in a comment. */
function lastWord(before: string): Word | undefined {
  let from = 0;
  let quote: Word["quote"] = "";
  let beginsCommand = true;
  for (let at = 0; at < before.length; at++) {
    const character = before[at] ?? "";
    if (character === "\\" && quote !== "'") at++;
    else if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (/[\s;|&()<>]/.test(character)) {
      const word = before.slice(from, at);
      if (/[;|&(]/.test(character)) beginsCommand = true;
      else if (/[<>]/.test(character)) beginsCommand = false;
      else if (word !== "") beginsCommand = /^(?:then|else|elif|do|if|while|until|!|time|\{)$/.test(word);
      from = at + 1;
    }
  }
  const raw = before.slice(from);
  if (/[$`]/.test(raw) || raw.startsWith("#") || /\\$/.test(raw)) return undefined;
  // A quote in the middle of a word would have to be written again.
  if (quote !== "" && !raw.startsWith(quote)) return undefined;
  return { raw, quote, beginsCommand };
}

function unquote(raw: string): string {
  return raw.replace(/\\(.)|["']/g, "$1");
}

/** As it must be written inside of the quote, or with backslashes. */
function quoteWord(text: string, quote: Word["quote"], isBegin = false): string {
  if (quote === "'") return `'${text.replaceAll("'", "'\\''")}`;
  if (quote === '"') return `"${text.replace(/["\\$`]/g, "\\$&")}`;
  const escaped = text.replace(/[^\p{L}\p{M}\p{N}_./:=@%+,-]/gu, "\\$&");
  return isBegin ? escaped.replace(/^\\~(?=\/)/, "~") : escaped;
}

async function commandNames({ fs }: CompletionPlace): Promise<string[]> {
  const programs = await Promise.all(
    PROGRAM_PLACES.map((directory) => fs.readdirWithFileTypes(directory).catch(() => [])), // not there: nothing of it
  );
  const names = programs.flat().map(({ name }) => name);
  return [...new Set([...BUILTINS, ...names])].filter(isVisible).sort();
}

async function readDirectory(place: CompletionPlace, directory: string): Promise<readonly DirectoryEntry[]> {
  try {
    const entries = await place.fs.readdirWithFileTypes(toAbsolute(place, directory));
    return [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return []; // no such directory: nothing to complete
  }
}

async function leadsToDirectory(
  place: CompletionPlace,
  directory: string,
  { name, isSymbolicLink }: DirectoryEntry,
): Promise<boolean> {
  if (!isSymbolicLink) return false;
  const path = joinVirtualPath(toAbsolute(place, directory), name);
  return place.fs.stat(path).then(
    ({ isDirectory }) => isDirectory,
    () => false, // it leads nowhere
  );
}

function toAbsolute({ cwd }: CompletionPlace, directory: string): string {
  return resolveVirtualPath(cwd, directory.replace(/^~(?=\/)/, HOME));
}

function toCompletion(found: readonly { word: string; end: string }[], raw: string): Completion {
  const [first] = found;
  if (first === undefined) return [[], raw];
  if (found.length === 1) return [[first.word + first.end], raw];
  const words = found.map(({ word }) => word);
  const common = words.reduce(commonBegin);
  // Readline shows all that it is given, so what many have in common is given alone, and of the rest a part.
  if (common.length > raw.length) return [[common], raw];
  if (words.length <= MAX_SHOWN) return [words, raw];
  return [[...words.slice(0, MAX_SHOWN), `… ${words.length - MAX_SHOWN} more`], raw];
}

function commonBegin(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}
