/** Tests of `find`: words of its command line → what must hold. */

import { typeLetter } from "./find-printf.ts";
import { type FindCall, FindError, type FindStep } from "./find-visit.ts";
import { type Look, look, lookIfThere, OWNER } from "./look.ts";
import { parseMode } from "./mode-change.ts";
import { isRegexSyntax, patternOf, regexOf } from "./name-match.ts";
import { parseDate } from "./parse-date.ts";
import { quoteValue } from "./quote-name.ts";

/** What tests need of the words around them. */
export interface TestWords {
  readonly call: FindCall;
  /** The next word; the option is named when there is none. */
  argument(): string;
  /** `-regextype` and `-daystart` hold for what follows. */
  readonly mode: { regexType: string; dayStart: boolean };
}

const DAY_SECONDS = 86_400;
const SIZE_UNITS: Readonly<Record<string, number>> = {
  c: 1,
  w: 2,
  b: 512,
  k: 1 << 10,
  M: 1 << 20,
  G: 2 ** 30,
};

type Compare = (value: number) => boolean;

/** The test of a name without its dash; null where there is none. */
export async function findTest(name: string, words: TestWords): Promise<FindStep | null> {
  const { call } = words;
  switch (name) {
    case "true":
      return () => true;
    case "false":
      return () => false;
    case "name":
    case "iname": {
      const pattern = patternOf(words.argument(), name === "iname");
      return (visit) => pattern.test(visit.name);
    }
    case "path":
    case "wholename":
    case "ipath":
    case "iwholename": {
      const pattern = patternOf(words.argument(), name.startsWith("i"));
      return (visit) => pattern.test(visit.shown);
    }
    case "lname":
    case "ilname": {
      const pattern = patternOf(words.argument(), name === "ilname");
      return async (visit) =>
        (await visit.look()).isSymbolicLink && pattern.test(await call.ctx.fs.readlink(visit.path));
    }
    case "regextype": {
      const type = words.argument();
      if (!isRegexSyntax(type)) throw new FindError(`Unknown regular expression type ${quoteValue(type)}`);
      words.mode.regexType = type;
      return () => true;
    }
    case "regex":
    case "iregex": {
      const text = words.argument();
      let pattern: RegExp;
      try {
        pattern = regexOf(text, words.mode.regexType, name === "iregex");
      } catch {
        throw new FindError(`failed to compile regular expression '${text}'`);
      }
      return (visit) => pattern.test(visit.shown);
    }
    case "type":
    case "xtype":
      return typeTest(name, words);
    case "size":
      return sizeTest(words.argument());
    case "empty":
      return async (visit) => {
        const entry = await visit.look();
        if (entry.isDirectory) return (await call.ctx.fs.readdir(visit.path).catch(() => [""])).length === 0;
        return entry.isFile && entry.size === 0;
      };
    case "links":
      return entryTest(numberTest(words.argument(), name), ({ nlink }) => nlink);
    case "inum":
      return entryTest(numberTest(words.argument(), name), ({ ino }) => ino);
    case "uid":
    case "gid":
      return entryTest(numberTest(words.argument(), name), () => OWNER.id);
    case "user":
    case "group":
      return ownerTest(name, words.argument());
    case "nouser":
    case "nogroup":
      return () => false;
    case "readable":
      return entryTest(
        (mode) => (mode & 0o444) !== 0,
        ({ mode }) => mode,
      );
    case "writable":
      return entryTest(
        (mode) => (mode & 0o222) !== 0,
        ({ mode }) => mode,
      );
    case "executable":
      return entryTest(
        (mode) => (mode & 0o111) !== 0,
        ({ mode }) => mode,
      );
    case "perm":
      return permissionTest(words.argument());
    case "samefile": {
      const other = await reference(words);
      return async (visit) => {
        const entry = await visit.look();
        return entry.ino === other.ino && entry.dev === other.dev;
      };
    }
    case "daystart":
      words.mode.dayStart = true;
      return () => true;
    default:
      return timeTest(name, words);
  }
}

function entryTest(compare: Compare, value: (entry: Look) => number): FindStep {
  return async (visit) => compare(value(await visit.look()));
}

async function typeTest(name: string, words: TestWords): Promise<FindStep> {
  const text = words.argument();
  const types = text.split(",");
  if (text === "" || types.some((type) => type.length !== 1)) {
    throw new FindError(
      text === ""
        ? `Arguments to -${name} should contain at least one letter`
        : `Must separate multiple arguments to -${name} using: ','`,
    );
  }
  const unknown = types.find((type) => !"bcdpflsD".includes(type));
  if (unknown !== undefined) throw new FindError(`Unknown argument to -${name}: ${unknown}`);
  return async (visit) => {
    const entry = await visit.look();
    if (name === "type") return types.includes(typeLetter(entry));
    const { fs } = visit.call.ctx;
    const other = await (visit.follows
      ? lookIfThere(fs, visit.path, false)
      : lookIfThere(fs, visit.path, true));
    return types.includes(other === null ? "l" : typeLetter(other));
  };
}

/** `+5`, `-5`, `5`. */
function numberTest(text: string, name: string): Compare {
  const match = /^([+-]?)(\d+(?:\.\d+)?)$/.exec(text);
  if (match === null) throw new FindError(`non-numeric argument to -${name}: ${quoteValue(text)}`);
  const wanted = Number(match[2]);
  if (match[1] === "+") return (value) => value > wanted;
  return match[1] === "-" ? (value) => value < wanted : (value) => value === wanted;
}

function sizeTest(text: string): FindStep {
  const unit = SIZE_UNITS[text.at(-1) ?? ""];
  const digits = unit === undefined ? text : text.slice(0, -1);
  if (!/^[+-]?\d+$/.test(digits)) throw new FindError(`Invalid argument \`${text}' to -size`);
  const compare = numberTest(digits, "size");
  return entryTest(
    (size) => compare(Math.ceil(size / (unit ?? 512))),
    ({ size }) => size,
  );
}

function ownerTest(name: string, text: string): FindStep {
  const isNumber = /^\d+$/.test(text);
  if (!isNumber && text !== OWNER.name && text !== "root") {
    throw new FindError(
      name === "user"
        ? `${quoteValue(text)} is not the name of a known user`
        : `${quoteValue(text)} is not the name of an existing group`,
    );
  }
  const isOwner = text === OWNER.name || (isNumber && Number(text) === OWNER.id);
  return () => isOwner;
}

function permissionTest(text: string): FindStep {
  const [, kind = "", modeText = ""] = /^([-/]?)(.*)$/s.exec(text) ?? [];
  const change = parseMode(modeText);
  if (change === null) throw new FindError(`invalid mode ${quoteValue(text)}`);
  const wanted = change(0, false);
  if (kind === "-")
    return entryTest(
      (mode) => (mode & wanted) === wanted,
      ({ mode }) => mode,
    );
  if (kind === "/")
    return entryTest(
      (mode) => wanted === 0 || (mode & wanted) !== 0,
      ({ mode }) => mode,
    );
  return entryTest(
    (mode) => (mode & 0o7777) === wanted,
    ({ mode }) => mode,
  );
}

async function reference(words: TestWords): Promise<Look> {
  const { fs, cwd } = words.call.ctx;
  const file = words.argument();
  try {
    return await look(fs, fs.resolvePath(cwd, file), true);
  } catch {
    throw new FindError(`${quoteValue(file)}: No such file or directory`);
  }
}

const TIMES: Readonly<Record<string, (entry: Look) => number>> = {
  a: ({ atime }) => atime.getTime(),
  c: ({ ctime }) => ctime.getTime(),
  m: ({ mtimeMs }) => mtimeMs,
  B: ({ ctime }) => ctime.getTime(),
};

/** `-mtime`, `-mmin`, `-newer`, `-newermt` and their like. */
async function timeTest(name: string, words: TestWords): Promise<FindStep | null> {
  const { call } = words;
  const age = /^([acm])(time|min)$/.exec(name);
  const startMs = words.mode.dayStart
    ? endOfToday(call)
    : call.now.seconds * 1000 + call.now.nanoseconds / 1e6;
  if (age !== null) {
    const time = TIMES[age[1] ?? ""];
    const text = words.argument();
    const compare = numberTest(text, name);
    if (time === undefined) return null;
    if (age[2] === "time") {
      return entryTest((ms) => compare(Math.floor((startMs - ms) / 1000 / DAY_SECONDS)), time);
    }
    const limitMs = startMs - Number(text.replace(/^[+-]/, "")) * 60_000;
    if (text.startsWith("+")) return entryTest((ms) => ms < limitMs, time);
    if (text.startsWith("-")) return entryTest((ms) => ms > limitMs, time);
    return entryTest((ms) => ms > limitMs && ms <= limitMs + 60_000, time);
  }
  const newer = /^(?:newer|([ac])newer|newer([aBcm])([aBcmt]))$/.exec(name);
  if (newer === null) return null;
  const time = TIMES[newer[1] ?? newer[2] ?? "m"];
  if (time === undefined) return null;
  const of = newer[3] ?? "m";
  if (of !== "t") {
    const limitMs = TIMES[of]?.(await reference(words)) ?? 0;
    return entryTest((ms) => ms > limitMs, time);
  }
  const text = words.argument();
  const instant = parseDate(text, call.now, call.zone);
  if (instant === null) {
    throw new FindError(`I cannot figure out how to interpret ${quoteValue(text)} as a date or time`);
  }
  const limitMs = instant.seconds * 1000 + instant.nanoseconds / 1e6;
  return entryTest((ms) => ms > limitMs, time);
}

function endOfToday({ now, zone }: FindCall): number {
  return ((parseDate("today 00:00", now, zone)?.seconds ?? now.seconds) + DAY_SECONDS) * 1000;
}
